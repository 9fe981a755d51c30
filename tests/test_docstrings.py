"""Entries of a docstring that refer to a base class are written out."""

import pytest

from sksieve._docstrings import with_references


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
    assert text == Child.__doc__.replace(
        "    b_, a_\n        See `Base`; larger than 0.\n",
        "    b_ : int\n        Two numbers. Larger than 0.\n    a_ : int\n        Two numbers.\n",
        1,
    ).replace(
        "    p\n        See `Base`.\n    q : int, default=2\n        See `Base`.\n",
        "    p : int, default=1\n        How many.\n    q : int, default=2\n        How many.\n",
    )
    assert with_references(Base) == Base.__doc__


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
