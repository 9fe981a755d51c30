"""Contrast of the report's colors, in light and dark: WCAG 2.2 AA."""

from __future__ import annotations

import re
from importlib.resources import files

import numpy as np
import pytest

CSS = (files("sksieve.report") / "templates" / "report.css").read_text("utf-8")
TEMPLATE = (files("sksieve.report") / "templates" / "macros.html").read_text("utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--([\w-]+): ([^;]+);", block))
    for block in re.findall(r":root \{(.*?)\}", CSS, re.S)
)


def rgb(color: str) -> np.ndarray:
    if color.startswith("#"):
        digits = color[1:] if len(color) == 7 else "".join(2 * c for c in color[1:])
        return np.array([int(digits[i : i + 2], 16) for i in (0, 2, 4)], dtype=float)
    return np.array(color.split(), dtype=float)


def luminance(color: np.ndarray) -> float:
    c = color / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: np.ndarray, b: np.ndarray) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_marks_stand_out(mode: dict[str, str]) -> None:
    for text, ground in [
        ("ink", "page"), ("ink", "soft"), ("ink", "note"), ("muted", "page"), ("muted", "soft"),
    ]:  # fmt: skip
        assert contrast(rgb(mode[text]), rgb(mode[ground])) >= 4.5, (text, ground)
    for mark in ("main", "other", "focus", "note-edge"):
        assert contrast(rgb(mode[mark]), rgb(mode["page"])) >= 3.0, mark


@pytest.mark.parametrize("mode", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("hue", ["main-rgb", "other-rgb"])
def test_numbers_in_the_heat_map_stand_out(mode: dict[str, str], hue: str) -> None:
    threshold = float(re.search(r"\|abs > ([\d.]+)", TEMPLATE)[1])
    for strength in np.linspace(0, 1, 101):
        cell = strength * rgb(mode[hue]) + (1 - strength) * rgb(mode["page"])
        text = mode["deep"] if strength > threshold else mode["low"]
        assert contrast(rgb(text), cell) >= 4.5, strength
