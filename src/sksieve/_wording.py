"""One wording of shares, durations, counts, names and arguments, in messages and on pages."""

from __future__ import annotations

import difflib
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

#: A share nearer to 0 or 1 than this differs from it by rounding only.
ROUNDING = 1e-12
#: Characters of a name that messages and printed tables show.
LONGEST_NAME = 64
#: What each scaling does.
SCALED = {
    "standard": "each column centered and scaled to variance 1",
    "unit": "each column scaled to length 1, not centered",
    "minmax": "each column scaled to 0..1",
    "none": "columns unchanged",
}
#: Values of ``stop_reason_`` after "stopped by".
STOPPED = {
    "tolerance": "tolerance",
    "max_iter": "the iteration limit",
    "time_budget": "the time limit",
    "callback": "Ctrl-C",
    "diverged": "an objective that is not finite; the last finite state was kept",
}
#: While a command runs its options that are not called like the argument; messages then name
#: options, not arguments of Python. None otherwise.
_OPTIONS: ContextVar[Mapping[str, str] | None] = ContextVar("options", default=None)


def percent(share: float) -> str:
    """A share in percent; more decimals where one would round to 0 or to 100.

    Examples
    --------
    >>> [percent(share) for share in (0.1234, 0.99996, 0.0002, 1.0, 0.0)]
    ['12.3 %', '99.996 %', '0.02 %', '100 %', '0 %']
    """
    share = float(share)
    if share <= ROUNDING or share >= 1 - ROUNDING:
        return f"{100.0 * min(max(share, 0.0), 1.0):.0f} %"
    for decimals in range(1, 5):
        text = f"{100.0 * share:.{decimals}f}"
        if 0.0 < float(text) < 100.0:
            return f"{text} %"
    return f"{'over 99.9999' if share > 0.5 else 'under 0.0001'} %"


def duration(seconds: float) -> str:
    """Seconds in the unit that reads best.

    Examples
    --------
    >>> [duration(seconds) for seconds in (0.0004, 0.25, 12.34, 59.96, 754.0, 119.7)]
    ['under 1 ms', '250 ms', '12.3 s', '1 min 0 s', '12 min 34 s', '2 min 0 s']
    """
    if seconds < 1e-3:
        return "under 1 ms"
    if seconds < 0.9995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    return "{} min {} s".format(*divmod(round(seconds), 60))


def did_you_mean(name: str, names: Iterable[str], *, quoted: bool = False) -> str:
    """A question with the closest names, or nothing where none is close.

    Examples
    --------
    >>> did_you_mean("Greddy", ["greedy", "pocss"]), did_you_mean("x", ["greedy"])
    ('did you mean greedy?', '')
    """
    folded: dict[str, list[str]] = {}
    for one in names:
        folded.setdefault(one.lower(), []).append(one)
    near = difflib.get_close_matches(name.lower(), folded, n=3)
    texts = [repr(one) if quoted else one for key in near for one in folded[key]]
    return f"did you mean {' or '.join(texts[:3])}?" if texts else ""


def shortened(name: str) -> str:
    """A name without its middle where it is long: beginning and end tell survey questions apart.

    Examples
    --------
    >>> shortened("age"), len(shortened(100 * "x"))
    ('age', 64)
    """
    if len(name) <= LONGEST_NAME:
        return name
    end = LONGEST_NAME // 2
    return f"{name[: LONGEST_NAME - end - 5].rstrip()} ... {name[-end:].lstrip()}"


def listed(names: Iterable[str], limit: int = 5) -> str:
    """Names for a message: quoted, the first `limit` of them, long ones shortened.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a", "b", "c"], limit=1)
    ("'a', 'b'", "'a' and 2 more")
    """
    names = list(names)
    text = ", ".join(repr(shortened(str(name))) for name in names[:limit])
    return text if len(names) <= limit else f"{text} and {len(names) - limit:,} more"


def counted(n: int, noun: str, plural: str = "") -> str:
    """A number and its noun.

    Examples
    --------
    >>> counted(1, "column"), counted(1200, "column"), counted(2, "vertex", "vertices")
    ('1 column', '1,200 columns', '2 vertices')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def explained_sentence(
    k: int,
    total: int,
    share: float,
    *,
    components: float | None = None,
    random: float | None = None,
    noun: str = "column",
) -> str:
    """What chosen columns explain on rows not used, beside components and random columns.

    Parameters
    ----------
    k, total : int
        Columns chosen, and columns there are.
    share, components, random : float
        What they explain, as many principal components, and as many random columns; None where it
        is not known.
    noun : str
        What is chosen.

    Examples
    --------
    >>> explained_sentence(1, 13, 0.25, components=0.36, random=0.2)
    '1 of 13 columns explains 25.0 % of the table on rows not used (PCA with 1 component 36.0 %, 1
    random column 20.0 %).'
    """
    others = []
    if components is not None:
        others.append(f"PCA with {counted(k, 'component')} {percent(components)}")
    if random is not None:
        others.append(f"{counted(k, f'random {noun}')} {percent(random)}")
    compared = f" ({', '.join(others)})" if others else ""
    return (
        f"{k:,} of {counted(total, noun)} {'explains' if k == 1 else 'explain'} "
        f"{percent(share)} of the table on rows not used{compared}."
    )


@contextmanager
def messages_name_options(options: Mapping[str, str] | None = None) -> Iterator[None]:
    """Messages name options of the command line (``--sep``) instead of arguments (``sep``).

    Parameters
    ----------
    options : mapping of str to str, optional
        Arguments whose option has another name, such as ``{"k": "-k"}``.
    """
    token = _OPTIONS.set(options or {})
    try:
        yield
    finally:
        _OPTIONS.reset(token)


def spelled(python: str, command: str) -> str:
    """`python`, or `command` while messages name options.

    Examples
    --------
    >>> spelled("list_methods()", "sksieve methods")
    'list_methods()'
    """
    return python if _OPTIONS.get() is None else command


def argument(name: str, *values: Any) -> str:
    """An argument for a message, as it is written in Python or on the command line.

    Parameters
    ----------
    name : str
        As in Python.
    *values
        Values it may have; none to name the argument alone.

    Examples
    --------
    >>> argument("impute", "mean", "knn"), argument("include", ["a", "b"]), argument("drop")
    ('impute="mean" or "knn"', 'include=["a", "b"]', 'drop')
    >>> with messages_name_options():
    ...     argument("include", ["a", "b"]), argument("header", False)
    ('--include a,b', '--no-header')
    """
    options = _OPTIONS.get()
    names_options = options is not None
    texts = [_option_value(value) if names_options else _literal(value) for value in values]
    *first, last = texts or [""]
    text = f"{', '.join(first)} or {last}" if first else last
    if options is not None:
        flag = f"--{'no-' if values == (False,) else ''}{name.replace('_', '-')}"
        flag = options.get(name, flag)
        return f"{flag} {text}" if text else flag
    return f"{name}={text}" if text else name


def _option_value(value: Any) -> str:
    if isinstance(value, bool):
        return ""
    return shlex.quote(",".join(value) if isinstance(value, list) else str(value))


def _literal(value: Any) -> str:
    is_text = isinstance(value, str | list)
    return json.dumps(value, ensure_ascii=False) if is_text else repr(value)
