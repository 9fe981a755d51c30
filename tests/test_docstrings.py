"""Entries of a docstring that refer to a base class are written out."""

import inspect

import pytest

from sksieve._docstrings import source_doc, with_references


class Base:
    """A base.

    Parameters
    ----------
    p, q : int, default=1
        How many.

    Attributes
    ----------
    a_, b_ : int
        Two numbers.
    """


class Child(Base):
    """A child.

    Parameters
    ----------
    p
        See `Base`.
    q : int, default=2
        See `Base`.

    Attributes
    ----------
    b_, a_
        See `Base`; larger than 0.
    c_ : float
        Its own. See `Base`.

    Notes
    -----
    b_, a_
        See `Base`.
    """


def test_each_name_gets_its_type_and_text():
    text = with_references(Child)
    assert text == source_doc(Child).replace(
        "    b_, a_\n        See `Base`; larger than 0.\n",
        "    b_ : int\n        Two numbers. Larger than 0.\n    a_ : int\n        Two numbers.\n",
        1,
    ).replace(
        "    p\n        See `Base`.\n    q : int, default=2\n        See `Base`.\n",
        "    p : int, default=1\n        How many.\n    q : int, default=2\n        How many.\n",
    )
    assert with_references(Base) == source_doc(Base)


def test_docstrings_without_indentation():
    """As Python 3.13 keeps them."""
    base = type("Base", (), {"__doc__": inspect.cleandoc(Base.__doc__) + "\n"})
    child = type("Child", (base,), {"__doc__": inspect.cleandoc(Child.__doc__) + "\n"})
    written = with_references(child)
    assert inspect.cleandoc(written) == inspect.cleandoc(with_references(Child))
    child.__doc__ = written
    assert source_doc(child) == written


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("d_\n        See `Base`.", "Base does not describe"),
        ("a_\n        See `X`.", "refers to X"),
    ],
)
def test_what_no_base_describes(reference, message):
    doc = f"A child.\n\n    Attributes\n    ----------\n    {reference}\n    "
    with pytest.raises(ValueError, match=message):
        with_references(type("Child", (Base,), {"__doc__": doc}))
