"""Structure from data that has no labels: which columns matter, and which groups are there."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .clustering import (
        BPMA,
        PPMA,
        RPMA,
        SDP1,
        SDP2,
        SLSA,
        SMCE,
        SPMA,
        SRSG,
        L1Graph,
        LaplacianL1Graph,
        SpectralCommunities,
        SpectralGraph,
    )
    from .selection import (
        BLSFE,
        BLSFS,
        BLUFS,
        FSPCA,
        L1UFS,
        LSDCL,
        MCFS,
        NDFS,
        POCSS,
        RNE,
        RUFS,
        SOGFS,
        SPCAFS,
        UDFS,
        ULAP,
        ApproxSVDCSS,
        ExactCSS,
        GreedyCSS,
        IteratedLocalSearchCSS,
        IterFS,
        LaplacianScore,
        LeverageScoreCSS,
        RandomCSS,
        RandomRank,
        TwoStageCSS,
        VarianceRank,
        WeightedAStarCSS,
    )

__version__ = "0.1.0"

# Public name -> module; imported on first use, so that `import sksieve` costs nothing.
_HOME = {
    "ExactCSS": "selection",
    "BLSFE": "selection",
    "L1UFS": "selection",
    "LSDCL": "selection",
    "RNE": "selection",
    "RUFS": "selection",
    "BLSFS": "selection",
    "ULAP": "selection",
    "SOGFS": "selection",
    "NDFS": "selection",
    "FSPCA": "selection",
    "SpectralCommunities": "clustering",
    "SDP2": "clustering",
    "SDP1": "clustering",
    "SLSA": "clustering",
    "UDFS": "selection",
    "SPCAFS": "selection",
    "RandomRank": "selection",
    "VarianceRank": "selection",
    "BPMA": "clustering",
    "PPMA": "clustering",
    "SPMA": "clustering",
    "RPMA": "clustering",
    "BLUFS": "selection",
    "LaplacianScore": "selection",
    "MCFS": "selection",
    "IteratedLocalSearchCSS": "selection",
    "IterFS": "selection",
    "POCSS": "selection",
    "L1Graph": "clustering",
    "LaplacianL1Graph": "clustering",
    "SMCE": "clustering",
    "SRSG": "clustering",
    "SpectralGraph": "clustering",
    "WeightedAStarCSS": "selection",
    "TwoStageCSS": "selection",
    "RandomCSS": "selection",
    "LeverageScoreCSS": "selection",
    "ApproxSVDCSS": "selection",
    "GreedyCSS": "selection",
}

__all__ = [
    "BLSFE",
    "BLSFS",
    "BLUFS",
    "BPMA",
    "FSPCA",
    "L1UFS",
    "LSDCL",
    "MCFS",
    "NDFS",
    "POCSS",
    "PPMA",
    "RNE",
    "RPMA",
    "RUFS",
    "SDP1",
    "SDP2",
    "SLSA",
    "SMCE",
    "SOGFS",
    "SPCAFS",
    "SPMA",
    "SRSG",
    "UDFS",
    "ULAP",
    "ApproxSVDCSS",
    "ExactCSS",
    "GreedyCSS",
    "IterFS",
    "IteratedLocalSearchCSS",
    "L1Graph",
    "LaplacianL1Graph",
    "LaplacianScore",
    "LeverageScoreCSS",
    "RandomCSS",
    "RandomRank",
    "SpectralCommunities",
    "SpectralGraph",
    "TwoStageCSS",
    "VarianceRank",
    "WeightedAStarCSS",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
