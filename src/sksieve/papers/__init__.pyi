from ._blufs import BLUFSVariants as BLUFSVariants
from ._lsdcl import LSDCLVariants as LSDCLVariants

__all__: list[str]
