"""The rows of a table in the plane, seen by all columns and by the chosen ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import Array, Indices
from ..tables import constant_columns, unit_variance
from ._groups import principal_plane

#: Chosen columns from which on they have a plane of their own.
MIN_COLUMNS = 3
#: Directions from the middle of the map that differ in color.
SECTORS = 8


@dataclass(frozen=True, eq=False)
class RowMaps:
    """Two maps of the same rows.

    Parameters
    ----------
    everything, chosen : ndarray of shape (m, 2)
        Places in [0, 1] by all columns and by the chosen ones; the second map is turned or mirrored
        so that it lies as near to the first as it can.
    sectors : ndarray of shape (m,)
        Direction of each row from the middle of the first map, 0, ..., n_sectors - 1.
    n_sectors : int
    shares : (float, float)
        Of the variance, in the plane of each map.
    """

    everything: Array
    chosen: Array
    sectors: Indices
    n_sectors: int
    shares: tuple[float, float]


def row_maps(X: Any, columns: Indices) -> RowMaps:
    """The plane in which the standardized columns spread most, for all columns and for some.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        In any scaling.
    columns : ndarray of shape (k,)
        The chosen columns.

    Notes
    -----
    Of at most 3000 rows, drawn with a fixed seed.
    """
    Z = unit_variance(X, ~constant_columns(X))
    labels = np.zeros(Z.shape[0], dtype=np.intp)
    everything, _, share = principal_plane(Z, labels)
    chosen, _, share_of_chosen = principal_plane(Z[:, columns], labels)
    first, second = everything - everything.mean(axis=0), chosen - chosen.mean(axis=0)
    U, _, Vt = np.linalg.svd(second.T @ first)
    turned = second @ U @ Vt
    low, high = turned.min(axis=0), turned.max(axis=0)
    angle = np.arctan2(first[:, 1], first[:, 0])
    sectors = np.asarray((angle + np.pi) / (2 * np.pi) * SECTORS, dtype=np.intp) % SECTORS
    turned = (turned - low) / np.where(high > low, high - low, 1.0)
    return RowMaps(everything, turned, sectors, SECTORS, (share, share_of_chosen))
