from ._select import SelectionPlan as SelectionPlan
from ._select import select as select
from ._selection import Judgement as Judgement
from ._selection import Selection as Selection
