"""Parameters and attributes that a docstring refers to in a base class, written out."""

from __future__ import annotations

import re
import textwrap

#: One entry of a section: names, type if there is one, lines of text.
_ENTRY = re.compile(r"^    ([\w, ]+?)( : .*)?\n((?:        .*\n|\n(?=        ))+)", re.M)
_SECTION = re.compile(
    r"^    (?:Parameters|Attributes)\n    -+\n(?:.*\n)*?(?=    \w.*\n    -+\n|\s*\Z)", re.M
)
_AT_MARGIN = re.compile(r"^(?:Parameters|Attributes)\n-+$", re.M)
_REFERENCE = re.compile(r"^See `(\w+)`(?:; (.*?))?\.?$")


def source_doc(cls: type) -> str | None:
    """The docstring of a class, indented as in its source: Python 3.13 and later do not keep that.

    Parameters
    ----------
    cls : type
    """
    doc = cls.__doc__
    if doc is None or not _AT_MARGIN.search(doc):
        return doc
    first, _, rest = doc.partition("\n")
    return f"{first}\n{textwrap.indent(rest, '    ')}"


def with_references(cls: type) -> str | None:
    """The docstring of a class; entries "See `Base`." are replaced by those of the base.

    Text after a semicolon ("See `Base`; the objective never rises.") is added to the first entry; a
    type that the entry names takes the place of the base's.

    Parameters
    ----------
    cls : type
        With docstrings indented by four spaces.

    Raises
    ------
    ValueError
        If an entry refers to a class that is not a base, or a base does not describe a name.
    """
    doc = source_doc(cls)
    if doc is None:
        return None
    return _SECTION.sub(lambda found: _ENTRY.sub(lambda e: _written_out(cls, e), found[0]), doc)


def _written_out(cls: type, entry: re.Match[str]) -> str:
    reference = _REFERENCE.match(" ".join(entry[3].split()))
    if reference is None:
        return entry[0]
    origins = [base for base in cls.__mro__ if base.__name__ == reference[1]]
    if not origins:
        raise ValueError(f"{cls.__name__} refers to {reference[1]}, which is not one of its bases.")
    texts = []
    for at, name in enumerate(entry[1].split(", ")):
        kind, text = _described(origins[0], name)
        if at == 0 and reference[2]:
            text = f"{text} {reference[2][0].upper()}{reference[2][1:]}."
        texts.append(f"    {name}{entry[2] or kind}\n{_indented(text)}\n")
    return "".join(texts)


def _described(cls: type, name: str) -> tuple[str, str]:
    """Type and text of a name in the docstring of the nearest class that describes it."""
    for base in cls.__mro__:
        for section in _SECTION.finditer(source_doc(base) or ""):
            for entry in _ENTRY.finditer(section[0]):
                if name in entry[1].split(", "):
                    return entry[2] or "", " ".join(entry[3].split())
    raise ValueError(f"{cls.__name__} does not describe {name}.")


def _indented(text: str) -> str:
    return textwrap.fill(
        text,
        100,
        initial_indent=" " * 8,
        subsequent_indent=" " * 8,
        break_long_words=False,
        break_on_hyphens=False,
    )
