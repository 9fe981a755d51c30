"""Unsupervised feature selection: one file per method, one base class."""

from ._aligned import AlignedColumns
from ._base import BaseSelector
from ._baselines import RandomRank, VarianceRank
from ._blsfe import BLSFE
from ._blsfs import BLSFS
from ._blufs import BLUFS
from ._correlated import CorrelatedColumns
from ._fspca import FSPCA
from ._l1ufs import L1UFS
from ._lapscore import LaplacianScore
from ._lsdcl import LSDCL
from ._mcfs import MCFS
from ._mixed import MixedColumns
from ._ndfs import NDFS
from ._rne import RNE
from ._rufs import RUFS
from ._sogfs import SOGFS, ULAP
from ._spcafs import SPCAFS
from ._udfs import UDFS

__all__ = [
    "BLSFE",
    "BLSFS",
    "BLUFS",
    "FSPCA",
    "L1UFS",
    "LSDCL",
    "MCFS",
    "NDFS",
    "RNE",
    "RUFS",
    "SOGFS",
    "SPCAFS",
    "UDFS",
    "ULAP",
    "AlignedColumns",
    "BaseSelector",
    "CorrelatedColumns",
    "LaplacianScore",
    "MixedColumns",
    "RandomRank",
    "VarianceRank",
]
