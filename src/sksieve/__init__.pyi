# Made by tools/public_names.py from the catalogue; do not edit.
from .clustering._choice import ClusterChoice as ClusterChoice
from .clustering._l1_graph import L1Graph as L1Graph
from .clustering._lr_l1 import LaplacianL1Graph as LaplacianL1Graph
from .clustering._rpma import BPMA as BPMA
from .clustering._rpma import PPMA as PPMA
from .clustering._rpma import RPMA as RPMA
from .clustering._rpma import SPMA as SPMA
from .clustering._sdp import SDP1 as SDP1
from .clustering._sdp import SDP2 as SDP2
from .clustering._slsa import SLSA as SLSA
from .clustering._smce import SMCE as SMCE
from .clustering._spectral_graph import SpectralCommunities as SpectralCommunities
from .clustering._spectral_graph import SpectralGraph as SpectralGraph
from .clustering._srsg import SRSG as SRSG
from .columns._approx_svd import ApproxSVDCSS as ApproxSVDCSS
from .columns._astar import WeightedAStarCSS as WeightedAStarCSS
from .columns._exact import ExactCSS as ExactCSS
from .columns._greedy import GreedyCSS as GreedyCSS
from .columns._iterfs import IterFS as IterFS
from .columns._leverage import LeverageScoreCSS as LeverageScoreCSS
from .columns._local_search import IteratedLocalSearchCSS as IteratedLocalSearchCSS
from .columns._pocss import POCSS as POCSS
from .columns._random import RandomCSS as RandomCSS
from .columns._two_stage import TwoStageCSS as TwoStageCSS
from .evaluation._choice import ColumnChoice as ColumnChoice
from .selection._aligned import AlignedColumns as AlignedColumns
from .selection._baselines import RandomRank as RandomRank
from .selection._baselines import VarianceRank as VarianceRank
from .selection._blsfe import BLSFE as BLSFE
from .selection._blsfs import BLSFS as BLSFS
from .selection._blufs import BLUFS as BLUFS
from .selection._correlated import CorrelatedColumns as CorrelatedColumns
from .selection._fspca import FSPCA as FSPCA
from .selection._l1ufs import L1UFS as L1UFS
from .selection._lapscore import LaplacianScore as LaplacianScore
from .selection._lsdcl import LSDCL as LSDCL
from .selection._mcfs import MCFS as MCFS
from .selection._ndfs import NDFS as NDFS
from .selection._rne import RNE as RNE
from .selection._rufs import RUFS as RUFS
from .selection._sogfs import SOGFS as SOGFS
from .selection._sogfs import ULAP as ULAP
from .selection._spcafs import SPCAFS as SPCAFS
from .selection._udfs import UDFS as UDFS

__all__: list[str]
__version__: str
