"""Types of arrays in annotations."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Real numbers in double precision.
Array = NDArray[np.float64]
#: Numbers of any type.
AnyArray = NDArray[Any]
#: Positions of rows or columns, and labels.
Indices = NDArray[np.intp]
