"""From a TOML file to a spec, every entry of it checked."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ..catalogue import METHODS
from ..exceptions import DataError
from ._cells import canonical
from ._data import OPTIONS, SBM, SCALES, kind
from ._files import is_path
from ._methods import candidate
from ._protocols import PROTOCOLS
from ._scores import SCORINGS
from ._spec import Entry, Source, Spec

#: Entry -> how TOML must write it, in words and as types.
KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    **dict.fromkeys(("name", "protocol", "scale", "catalogue"), ("a text", (str,))),
    **dict.fromkeys(("datasets", "k", "classes", "method"), ("a list", (list,))),
    **dict.fromkeys(
        ("repetitions", "repeats", "draws", "max_rows", "max_columns"), ("a whole number", (int,))
    ),
    **dict.fromkeys(("budget", "score_budget", "sample"), ("a number", (int, float))),
}

OWN = ("random_state", "n_features_to_select", "n_clusters")

#: What is taken of every table of a spec: at most so many rows and columns, a part of the rows.
LIMITS = ("max_rows", "max_columns", "sample")

#: Part of the catalogue -> parameter that sets the size of the answer.
CATALOGUE = {"selectors": "n_features_to_select", "clusterers": "n_clusters"}

#: Entries of a spec that name its methods.
METHOD_ENTRIES = ("catalogue", "method")

#: Seconds of the longest budget.
LONGEST = 1e9
#: The largest number of repetitions of anything.
MOST_REPEATS = 1_000_000


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


#: Option of a data set -> its values, in words and as a test.
VALUES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(
        ("classes", "rows", "train", "max_rows", "max_columns", "n_nodes", "n_blocks"),
        ("whole numbers from 1", _is_count),
    ),
    "label": ("the name of a column", lambda value: isinstance(value, str)),
    "sample": ("a part, more than 0 and less than 1", lambda x: _is_number(x) and 0 < x < 1),
    **dict.fromkeys(("above", "p_in", "p_out"), ("numbers", _is_number)),
    "component": ("'largest'", lambda value: value == "largest"),
}


def read_spec(
    path: str | os.PathLike[str],
    *,
    data: Sequence[str | os.PathLike[str]] = (),
    label: str | None = None,
    methods: Sequence[str] = (),
    only: bool = False,
) -> Spec:
    """A spec from a TOML file.

    Parameters
    ----------
    path : path-like
        The file. Paths of tables in it are relative to its folder. ``extends = "other.toml"`` takes
        from another spec of this folder the entries that it does not have itself.
    data : sequence of path-like
        Files of tables in place of the spec's data sets; relative to the current folder.
    label : str, optional
        Column of these tables that holds the classes.
    methods : sequence of str
        Methods in addition to the spec's: names of the catalogue, or ``package.module:Class``. A
        method that the spec's ``catalogue`` includes has the scale, and the second entry with the
        number of clusters estimated, that it has there.
    only : bool, default=False
        Take `methods` in place of the spec's.

    Raises
    ------
    DataError
        If the file is no TOML, or asks for what does not exist; the message says which entry.
    """
    try:
        text, content = _read(Path(path))
        if data:
            options = {} if label is None else {"label": label}
            content["datasets"] = [
                {"path": str(Path(file).absolute()), "name": Path(file).name, **options}
                for file in data
            ]
        part = content.get("catalogue")
        if only:
            content = {name: content[name] for name in content if name not in METHOD_ENTRIES}
        if methods:
            defaults = dict(_whole_catalogue(part))
            added = (entry for name in methods for entry in defaults.get(name, [{"name": name}]))
            content["method"] = [*content.get("method", []), *added]
        spec = parse_spec(content, name=Path(path).stem, folder=Path(path).absolute().parent)
        return replace(spec, text=text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not a TOML file: {error}.") from error
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    """Text and entries of a spec, those of the spec that it extends included."""
    text = path.read_text(encoding="utf-8")
    try:
        content = tomllib.loads(text)
    except RecursionError as error:
        raise DataError(f"{path.name}: its tables or lists are nested too deeply.") from error
    base = content.pop("extends", None)
    if base is None:
        return text, content
    if not isinstance(base, str) or not (path.parent / base).is_file():
        raise DataError(f"extends must be the name of another spec of its folder; got {base!r}.")
    below, entries = _read(path.parent / base)
    return f"{text}\n# {base}\n\n{below}", {**entries, **content}


def parse_spec(
    content: dict[str, Any], name: str = "", folder: str | os.PathLike[str] = "."
) -> Spec:
    """A spec from a dict as TOML gives it, checked.

    Parameters
    ----------
    content : dict
        Entries of the spec.
    name : str
        Title of its tables, where the spec has none.
    folder : path-like
        Paths of tables are relative to it.

    Raises
    ------
    DataError
        If an entry is missing, unknown or out of range.

    Examples
    --------
    >>> spec = parse_spec({"protocol": "css", "datasets": ["iris"], "k": [1, 2],
    ...                    "repetitions": 1,
    ...                    "method": [{"name": "greedy"}, {"name": "pocss"}]})
    >>> [(t.cell.method, len(t.items)) for t in spec.tasks()]
    [('greedy', 2), ('pocss', 1), ('pocss', 1)]
    """
    _check_kinds(content)
    content = dict(content)
    allowed = {f.name for f in fields(Spec)} - {"methods"} | {*LIMITS, "catalogue"}
    unknown = sorted(set(content) - allowed - {"method"})
    if unknown:
        raise DataError(f"there is no entry {unknown[0]!r}; known: {', '.join(sorted(allowed))}.")
    for needed in ("protocol", "datasets"):
        if needed not in content:
            raise DataError(f"the entry {needed!r} is missing.")
    if content["protocol"] not in PROTOCOLS:
        raise DataError(f"no protocol {content['protocol']!r}; known: {', '.join(PROTOCOLS)}.")
    rules = PROTOCOLS[content["protocol"]]
    values: dict[str, Any] = {"name": name, "repeats": rules.repeats, "draws": rules.draws}
    values["repetitions"] = rules.repetitions
    entries = [_entry(entry) for entry in content.pop("method", [])]
    named = {entry.name for entry in entries}
    for method, defaults in _whole_catalogue(content.pop("catalogue", None)):
        entries += map(_entry, defaults if method not in named else [])
    values["methods"] = tuple(entries)
    limits = {name: content.pop(name) for name in LIMITS if name in content}
    content["datasets"] = [_source(given, Path(folder), limits) for given in content["datasets"]]
    values |= {k: tuple(v) if isinstance(v, list) else v for k, v in content.items()}
    spec = Spec(**values)
    _check(spec)
    return spec


def _check_kinds(content: dict[str, Any]) -> None:
    for name, (words, types) in KINDS.items():
        given = content.get(name)
        if name in content and (isinstance(given, bool) or not isinstance(given, types)):
            raise DataError(f"{name} must be {words}; got {given!r}.")


def _source(given: Any, folder: Path, limits: dict[str, int]) -> Source:
    given = _named(given, folder)
    name, path, scale = given["name"], given.get("path", ""), given.get("scale")
    options = {
        option: tuple(value) if isinstance(value, list) else (value,)
        for option, value in given.items()
        if option not in ("name", "path", "scale")
    }
    allowed = OPTIONS[kind(name, path)]
    unknown = sorted(set(options) - set(allowed))
    if unknown:
        raise DataError(
            f"{name} has no option {unknown[0]!r}; it may have {', '.join((*allowed, 'scale'))}."
        )
    options = {option: (value,) for option, value in limits.items() if option in allowed} | options
    for option, values in options.items():
        words, accepts = VALUES[option]
        if not values or not all(map(accepts, values)):
            value = given.get(option, limits.get(option))
            raise DataError(f"{name}: {option} must be {words}; got {value!r}.")
    classes = options.pop("classes", ())
    if name == SBM and set(options) != set(allowed):
        raise DataError(f"{SBM} must say {', '.join(allowed)}.")
    return Source(name, scale, classes, tuple(sorted(options.items())), path)


def _named(given: Any, folder: Path) -> dict[str, Any]:
    """An entry of ``datasets`` as a table with a name, and an absolute path where it is a file."""
    if isinstance(given, str):
        given = {"path" if is_path(given) else "name": given}
    words = [given.get(word, "") for word in ("name", "path")] if isinstance(given, dict) else [0]
    if not all(isinstance(word, str) for word in words) or not any(words):
        raise DataError(
            "datasets must be a list of names or paths, or of tables that have a name or a path; "
            f"got {given!r}."
        )
    if "path" not in given and is_path(given["name"]):
        given = {**given, "path": given["name"]}
    if "path" not in given:
        return dict(given)
    path = (folder / Path(given["path"]).expanduser()).absolute()
    if not path.is_file():
        raise DataError(f"there is no file {path}.")
    return {"name": given["path"], **given, "path": str(path)}


def _entry(given: Any) -> Entry:
    if not isinstance(given, dict):
        raise DataError(f"method must be tables, [[method]]; got {given!r}.")
    allowed = ("name", "parameters", "grid", "label", "scale", "clusters", "repetitions")
    if set(given) - set(allowed) or "name" not in given:
        raise DataError(
            f"[[method]] needs name and may have {', '.join(allowed[1:])}; got {', '.join(given)}."
        )
    texts = ("name", "label", "scale", "clusters")
    if not all(isinstance(given.get(word) or "", str) for word in texts):
        raise DataError(f"{', '.join(texts)} of [[method]] must be texts; got {given!r}.")
    if given.get("clusters", "given") not in ("given", "eigengap"):
        raise DataError(f"{given['name']}: clusters must be 'given' or 'eigengap'.")
    if not _is_count(given.get("repetitions", 1)):
        raise DataError(f"{given['name']}: repetitions must be a whole number from 1.")
    name, parameters, grid = given["name"], given.get("parameters", {}), given.get("grid", {})
    grids = grid if isinstance(grid, list) else [grid] if grid else []
    if not isinstance(parameters, dict) or not all(isinstance(part, dict) for part in grids):
        raise DataError(f"{name}: parameters and grid must be tables.")
    if not all(isinstance(values, list) and values for part in grids for values in part.values()):
        raise DataError(f"{name}: each entry of grid must be a list of values to try.")
    try:
        canonical([parameters, grids])
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{name}: parameters and grid must be finite numbers, texts, true, false, or lists of "
            f"these ({error})."
        ) from error
    options = {word: given[word] for word in ("label", *allowed[4:]) if word in given}
    return Entry(name, parameters, tuple(grids), **options)


def _whole_catalogue(part: str | None) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Every method of a part of the catalogue, and what a spec would write for its defaults.

    Methods that expect unscaled columns get them so; a selector that takes a number of clusters
    comes once more with the number estimated.
    """
    if part not in (None, *CATALOGUE):
        raise DataError(f"catalogue must be one of {', '.join(CATALOGUE)}; got {part!r}.")
    for method in METHODS if part else ():
        is_part = (method.kind == "clusterer") == (part == "clusterers")
        accepts = candidate(method.name).accepts
        if is_part and CATALOGUE[str(part)] in accepts:
            entry = {"name": method.name}
            if method.suitable_scale() == "none":
                entry["scale"] = "none"
            is_twice = "n_clusters" in accepts and part == "selectors"
            yield method.name, [entry, {**entry, "clusters": "eigengap"}][: 1 + is_twice]


def _check(spec: Spec) -> None:
    scales = [spec.scale, *(s.scale for s in spec.datasets), *(e.scale for e in spec.methods)]
    for scale in scales:
        if scale is not None and scale not in SCALES:
            raise DataError(f"scale must be one of {', '.join(SCALES)}; got {scale!r}.")
    _check_numbers(spec)
    if not spec.methods or not spec.datasets:
        raise DataError("there must be at least one data set and one [[method]].")
    for source in spec.datasets:
        _check_source(spec, source)
    for entry in spec.methods:
        _check_entry(spec, entry)
    _check_names(spec)
    if next(spec.tasks(), None) is None:
        raise DataError("no data set has as many columns as the smallest k: nothing is left to do.")


def _check_numbers(spec: Spec) -> None:
    counts = {"k": spec.k, "classes": spec.classes}
    counts |= {name: (getattr(spec, name),) for name in ("repetitions", "repeats", "draws")}
    for name, numbers in counts.items():
        if not all(map(_is_count, numbers)):
            raise DataError(f"{name} must be whole numbers from 1; got {numbers}.")
        if name not in ("k", "classes") and max(numbers) > MOST_REPEATS:
            raise DataError(f"{name} is at most {MOST_REPEATS:,}; got {numbers[0]:,}.")
    if len(set(spec.k)) < len(spec.k):
        raise DataError(f"k has a number twice, whose scores would count twice; got {spec.k}.")
    if not 0 <= spec.score_budget <= LONGEST:
        raise DataError(f"score_budget must be seconds, up to 1e9; got {spec.score_budget}.")
    if not 0 < spec.budget <= LONGEST:
        raise DataError(f"budget must be seconds, more than 0, up to 1e9; got {spec.budget}.")


def _check_names(spec: Spec) -> None:
    """Scores of one name make one row or column of a table: no two things may share a name."""
    labels = [entry.column for entry in spec.methods]
    for label in labels:
        if labels.count(label) > 1:
            raise DataError(f"two methods are called {label!r}; give one of them a label.")
    sets = [data.label for source in spec.datasets for data in source.data(spec.classes)]
    for name in sets:
        if sets.count(name) > 1:
            raise DataError(
                f"two data sets are called {name!r} in tables, which would mix their scores; give "
                "one of them a spec of its own."
            )


def _check_source(spec: Spec, source: Source) -> None:
    if ("train" in dict(source.options)) != spec.rules.splits:
        raise DataError(
            f"{source.name}: 'train' goes with a protocol of splits (lsdcl-cv) and no other."
        )
    if ("sample" in dict(source.options)) != spec.rules.samples:
        raise DataError(
            f"{source.name}: 'sample' goes with a protocol of samples (stability) and no other."
        )
    if spec.classes and source.is_graph:
        raise DataError(f"{source.name} is a graph, of which there are no first 'classes'.")


def _check_entry(spec: Spec, entry: Entry) -> None:
    method, rules = candidate(entry.name), spec.rules
    names = {*entry.parameters, *(name for grid in entry.grids for name in grid)}
    if entry.grids and not rules.tuned:
        raise DataError(
            f"{entry.name} has a grid, but protocol {spec.protocol!r} tunes nothing; "
            "use protocol 'oracle'."
        )
    for name in sorted(names & set(OWN)):
        raise DataError(f"{entry.name}: {name} is set by the protocol.")
    for name in sorted({name.partition("__")[0] for name in names} - set(method.accepts)):
        raise DataError(f"{entry.name} has no parameter {name!r}.")
    if not (rules.of_labels if method.clusters else rules.of_columns):
        does = "finds groups" if method.clusters else "chooses columns"
        raise DataError(f"{entry.name} {does}, which protocol {spec.protocol!r} does not measure.")
    if method.keeps_all and not all(SCORINGS[name].of_all_columns for name in rules.of_columns):
        raise DataError(f"{entry.name} has no score under protocol {spec.protocol!r}.")
    if entry.clusters == "eigengap" and "n_clusters" not in method.accepts:
        raise DataError(f"{entry.name} takes no number of clusters, so no eigengap is needed.")
    if not method.clusters and not (spec.k or rules.k):
        raise DataError(f"{entry.name} chooses columns: the entry 'k' must say how many.")
    for source in spec.datasets if not spec.rules.mixed else ():
        if source.is_graph and not method.takes_graphs:
            raise DataError(f"{source.name} is a graph, and {entry.name} does not take graphs.")
        if not source.is_graph and method.only_graphs:
            raise DataError(f"{source.name} is a table, and {entry.name} takes graphs only.")
