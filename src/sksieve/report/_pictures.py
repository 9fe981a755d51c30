"""Columns that are pixels: where each lies, and pictures that fit into the page."""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._typing import AnyArray

#: Colors of positive and negative values, readable on a white page and on a dark one.
POSITIVE, NEGATIVE = (38, 128, 184), (200, 100, 40)


@dataclass(frozen=True)
class ImageShape:
    """How the columns of a table make an image.

    Parameters
    ----------
    height, width : int
        In pixels; their product is the number of columns.
    down : bool, default=False
        Do the columns run down the image, as in files from MATLAB, and not along its rows?

    Examples
    --------
    >>> import numpy as np
    >>> ImageShape(2, 3).picture(np.arange(6))
    array([[0, 1, 2],
           [3, 4, 5]])
    >>> ImageShape(2, 3, down=True).place(np.array([1, 2]))
    (array([1, 0]), array([0, 1]))
    """

    height: int
    width: int
    down: bool = False

    def place(self, columns: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Row and column of each pixel."""
        if self.down:
            return columns % self.height, columns // self.height
        return columns // self.width, columns % self.width

    def picture(self, values: AnyArray) -> AnyArray:
        """One value for each column, as an image."""
        if self.down:
            return values.reshape(self.width, self.height).T
        return values.reshape(self.height, self.width)


def gray_picture(values: AnyArray) -> str:
    """A data URI: smallest value black, largest white."""
    lo, hi = float(values.min()), float(values.max())
    gray = np.round(255 * (values - lo) / (hi - lo or 1.0)).astype(np.uint8)
    return _png(gray[:, :, None], 0)


def signed_picture(values: AnyArray, largest: float | None = None) -> str:
    """A data URI: 0 transparent, positive values blue, negative ones orange.

    Parameters
    ----------
    values : ndarray of shape (height, width)
    largest : float, optional
        The value of full color; the largest absolute one by default.
    """
    top = float(np.abs(values).max(initial=0.0)) if largest is None else largest
    strength = np.clip(np.abs(values) / (top or 1.0), 0, 1)
    pixels = np.empty((*values.shape, 4), dtype=np.uint8)
    pixels[..., :3] = np.where((values >= 0)[..., None], POSITIVE, NEGATIVE)
    pixels[..., 3] = np.round(255 * strength)
    return _png(pixels, 6)


def _png(pixels: NDArray[np.uint8], color: int) -> str:
    """PNG of 8 bits a channel; color type 0 is gray, 6 is red, green, blue and alpha."""
    height, width, _ = pixels.shape
    lines = np.zeros((height, 1 + pixels[0].size), dtype=np.uint8)  # filter 0 before each line
    lines[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in chunks)
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
