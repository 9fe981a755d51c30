"""What one command was asked to do, and the same as a command line."""

from __future__ import annotations

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..io.tables._table import ReadOptions

if TYPE_CHECKING:
    from ..catalogue import Method

__all__ = [
    "AUTO",
    "CompareOptions",
    "ImagePixels",
    "MethodOptions",
    "SelectOptions",
    "TableOptions",
    "UsageError",
    "option",
    "parse_image",
    "parse_param",
    "parse_seconds",
]

#: The method behind ``--method auto``.
AUTO = "local_search"


class UsageError(ValueError):
    """The command line asks for something that does not exist; exit code 2."""


@dataclass(frozen=True)
class ImagePixels:
    """How columns make an image: ``--image-shape``."""

    height: int
    width: int
    down: bool = False

    def __str__(self) -> str:
        return f"{self.height}x{self.width}{',columns' if self.down else ''}"


@dataclass(frozen=True)
class MethodOptions(ABC):
    """What every command that runs a method on a file is told; the help text says what it means."""

    data: str
    _: KW_ONLY
    method: str = "auto"
    label_column: str | None = None
    seed: int = 0
    params: dict[str, Any] = field(default_factory=dict)
    reading: ReadOptions = field(default_factory=ReadOptions)
    output: Path | None = None
    report: Path | None = None
    json: bool = False

    #: Parameters of methods that have an option of their own.
    spelled: ClassVar[Mapping[str, str]] = {"random_state": "--seed"}

    def own_parameters(self) -> dict[str, Any]:
        """Values of the parameters in `spelled`; a method gets those that it has."""
        return {"random_state": self.seed}

    @abstractmethod
    def command(self, *extra: str) -> str:
        """A command line that does the same, without what is default, `extra` words added."""

    def _method_words(self) -> list[str]:
        return option("--method", self.method, "auto") + option("--label-column", self.label_column)

    def _param_words(self) -> list[str]:
        given = self.params.items()
        return [word for name, value in given for word in ("--param", f"{name}={value}")]

    def _reading_words(self) -> list[str]:
        r = self.reading
        words = option("--name", r.name) + option("--sep", r.sep)
        words += option("--decimal", r.decimal, ".")
        words += [] if r.header else ["--no-header"]
        words += option("--encoding", r.encoding)
        return words + [word for cell in r.missing for word in ("--missing", cell)]

    def _target_words(self) -> list[str]:
        return option("--output", self.output) + option("--report", self.report)


@dataclass(frozen=True)
class TableOptions(MethodOptions):
    """What a command that reads a table of samples and columns is told."""

    _: KW_ONLY
    drop: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    scale: str = "standard"
    impute: str | None = None
    encode: str | None = None

    def _column_words(self) -> list[str]:
        words = [word for name in self.columns for word in ("--columns", name)]
        return words + [word for name in self.drop for word in ("--drop", name)]

    def _reading_words(self) -> list[str]:
        words = option("--impute", self.impute) + option("--encode", self.encode)
        return words + super()._reading_words()


@dataclass(frozen=True)
class SelectOptions(TableOptions):
    """The options of ``sksieve select``; the help text says what each means."""

    k: int
    _: KW_ONLY
    scale: str = "auto"
    told: bool = True  # the scaling was asked for, and not chosen for the method
    time: float | None = None
    image: ImagePixels | None = None

    spelled: ClassVar[Mapping[str, str]] = {
        "n_features_to_select": "-k",
        "scale": "--scale",
        "random_state": "--seed",
        "time_budget": "--time",
    }

    def own_parameters(self) -> dict[str, Any]:
        own = {"n_features_to_select": self.k, "random_state": self.seed}
        return own if self.time is None else {**own, "time_budget": self.time}

    def scaled_for(self, method: Method, sparse: bool = False) -> Self:
        """The same with the scaling that suits method and table, where none was asked for."""
        if self.told and self.scale != "auto":
            return self
        scale = "none" if method.scaling == "raw" else "standard"
        if sparse and method.kind != "columns" and scale == "standard":  # zeros stay zeros
            scale = "none" if method.scaling == "any" else "unit"
        return replace(self, scale=scale, told=False)

    def why_not_standard(self, method: Method) -> list[str]:
        """A remark where columns are not standardised although nobody asked for that."""
        if self.told or self.scale == "standard":
            return []
        done = "are taken as they are" if self.scale == "none" else "are scaled to length 1"
        if method.scaling == "raw":
            why = "looks for large variance, of which standardised columns have all the same"
        elif self.scale == "none":
            why = "scales them itself, and centring would fill in the zeros of a sparse table"
        else:
            return [f"Columns {done}: centring would fill in the zeros of a sparse table."]
        return [f"Columns {done} (--scale none): {method.name} {why}."]

    def command(self, *extra: str) -> str:
        """A command line that does the same, without what is default, `extra` words added."""
        words = ["sksieve", "select", self.data, "-k", str(self.k)]
        words += self._method_words() + self._column_words()
        words += option("--scale", self.scale if self.told else "auto", "auto")
        words += option("--seed", self.seed, 0)
        words += option("--time", _spelled(self.time))
        words += self._param_words() + self._reading_words() + self._target_words()
        words += option("--image-shape", self.image)
        return shlex.join([*words, *extra])


@dataclass(frozen=True)
class CompareOptions(TableOptions):
    """The options of ``sksieve compare``; the help text says what each means."""

    k: int
    methods: str
    _: KW_ONLY
    time: float | None = None

    def command(self, *extra: str) -> str:
        """A command line that does the same, without what is default, `extra` words added."""
        words = ["sksieve", "compare", self.data, "-k", str(self.k), "--methods", self.methods]
        words += option("--label-column", self.label_column) + self._column_words()
        words += option("--seed", self.seed, 0)
        words += option("--time", _spelled(self.time))
        words += self._reading_words() + self._target_words()
        return shlex.join([*words, *extra])


def option(name: str, value: object, default: object = None) -> list[str]:
    """The words of an option, none where it has its default."""
    return [] if value in (None, default) else [name, str(value)]


def _spelled(seconds: float | None) -> str | None:
    """What `parse_seconds` reads as `seconds`: all digits, no exponent."""
    return None if seconds is None else f"{Decimal(str(seconds)).normalize():f}s"


def parse_seconds(text: str) -> float:
    """A length of time in seconds.

    Raises
    ------
    UsageError
        If it is not a positive number with the unit ms, s, m or h (none: seconds).

    Examples
    --------
    >>> [parse_seconds(text) for text in ("30s", "2m", "500ms", "1.5")]
    [30.0, 120.0, 0.5, 1.5]
    """
    found = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(ms|s|m|min|h)?\s*", text)
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"--time {text}: give a length of time such as 30s, 2m or 500ms.")
    return float(found[1]) * {"ms": 1e-3, "m": 60.0, "min": 60.0, "h": 3600.0}.get(found[2], 1.0)


def parse_image(text: str) -> ImagePixels:
    """``HxW``, or ``HxW,columns`` where the columns run down the image.

    Raises
    ------
    UsageError
        If it is anything else.

    Examples
    --------
    >>> str(parse_image("28x20")), parse_image("32 x 32,columns").down
    ('28x20', True)
    """
    found = re.fullmatch(r"\s*(\d+)\s*[xX]\s*(\d+)\s*(,\s*(?:rows|columns)\s*)?", text)
    if found is None or not int(found[1]) * int(found[2]):
        raise UsageError(
            f"--image-shape {text}: give height and width in pixels, such as 32x32, or "
            "32x32,columns where the columns run down the image."
        )
    return ImagePixels(int(found[1]), int(found[2]), "columns" in (found[3] or ""))


def parse_param(text: str) -> tuple[str, Any]:
    """``NAME=VALUE``, the value a Python literal where it is one, else a string.

    Raises
    ------
    UsageError
        If there is no name or no equals sign.

    Examples
    --------
    >>> parse_param("max_iter=50"), parse_param("tol=None"), parse_param("kernel=rbf")
    (('max_iter', 50), ('tol', None), ('kernel', 'rbf'))
    """
    from ast import literal_eval

    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier():
        raise UsageError(f"--param {text}: give NAME=VALUE, for example max_iter=500.")
    try:
        return name.strip(), literal_eval(value.strip())
    except (ValueError, SyntaxError):
        return name.strip(), value.strip()
