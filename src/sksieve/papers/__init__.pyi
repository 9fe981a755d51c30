from ._blufs import BLUFSVariants as BLUFSVariants
from ._lsdcl import LSDCLVariants as LSDCLVariants
from ._rne import ProgramRNE as ProgramRNE
from ._rpma import AffinityEigenvectors as AffinityEigenvectors
from ._rpma import CurvilinearRPMA as CurvilinearRPMA
from ._rpma import PerturbedRPMA as PerturbedRPMA
from ._rpma import PlainBPMA as PlainBPMA
from ._rpma import PlainPPMA as PlainPPMA
from ._rpma import PlainSPMA as PlainSPMA
from ._rpma import SplittingRPMA as SplittingRPMA
from ._srsg import GradientSRSG as GradientSRSG
from ._srsg import GrowingSRSG as GrowingSRSG
from ._srsg import LiteralSRSG as LiteralSRSG

__all__: list[str]
