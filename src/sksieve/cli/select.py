"""``sksieve select``: parse, call `sksieve.select`, print."""

from __future__ import annotations

from .._wording import counted
from ..exceptions import DataError
from ..io import NumericTable, write_columns
from ..io._write_columns import COLUMN_SUFFIXES
from ..workflows import SelectionPlan
from ._data import check_targets, continuing, read_numeric, report_fields
from ._errors import UsageError
from ._options import SelectOptions
from ._print import print_answer, shows_progress


def run(options: SelectOptions) -> None:
    """Choose columns and report them."""
    plan = SelectionPlan(**options.arguments, progress=shows_progress())
    check_targets(options, COLUMN_SUFFIXES)
    image = options.image
    if image is not None and options.report is None:
        raise UsageError(
            f"--image-shape {options.image_shape} is for the report; add --report report.html."
        )
    numeric = read_numeric(options)
    _check_image(options, numeric)
    with continuing(options):
        selection = plan.run(numeric)
    if options.output is not None:
        selection.notes.extend(write_columns(options.output, numeric, selection.indices))
    if options.report is not None:
        method = None if selection.chooser else selection.choice.method
        fields = report_fields(numeric, options, method, selection.scale)
        selection.report(
            options.report, image=image, command=fields["command"], loading=fields["loading"]
        )
    print_answer(options, selection, options.following("chosen.csv"))


def _check_image(options: SelectOptions, numeric: NumericTable) -> None:
    """Refuse an image of another number of pixels than there are columns."""
    image, n = options.image, len(numeric.columns)
    if image is not None and image.height * image.width != n:
        raise DataError(
            f"--image-shape {options.image_shape} has {image.height * image.width:,} pixels, but "
            f"there are {counted(n, 'column')} to choose from in {numeric.table.name}; give the "
            "height and width of its images, and leave other columns out with --columns, --drop or "
            "--label-column."
        )
