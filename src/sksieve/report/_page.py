"""From a result to one HTML file."""

from __future__ import annotations

import os
from pathlib import Path

from ._result import SelectionResult

__all__ = ["write_selection_report"]


def write_selection_report(path: str | os.PathLike[str], result: SelectionResult) -> Path:
    """Write the report of a selection: one HTML file that needs nothing beside itself.

    Parameters
    ----------
    path : str or Path
        File to write; replaced when it exists.
    result : SelectionResult
        The fitted estimator and where its data came from. Nothing is fitted here.

    Returns
    -------
    path : Path

    Raises
    ------
    ImportError
        If jinja2 is not installed (it comes with ``scikit-sieve[cli]``).
    """
    target = Path(path)
    target.write_bytes(_render(result).encode("utf-8", "replace"))
    return target


def _render(result: SelectionResult) -> str:
    try:
        from jinja2 import Environment, PackageLoader
    except ImportError as error:
        raise ImportError(
            "Reports need jinja2; install it with: pip install 'scikit-sieve[cli]'"
        ) from error
    environment = Environment(
        loader=PackageLoader("sksieve.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    est = result.estimator
    chosen = [result.feature_names[j] for j in est.ranking_[: est.n_features_to_select_]]
    return environment.get_template("selection.html").render(result=result, chosen=chosen)
