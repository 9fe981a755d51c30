"""Read tables and graphs from files of many formats, and write tables.

Readers refuse what they cannot read exactly, with one sentence that says what is wrong and what
to do (`sksieve.exceptions.DataError`); they never drop a row or column silently, never unpickle
anything, and judge the size of a table before they take memory for it.
"""

from .._replace import replacing
from ._costs import read_costs
from ._numeric import NumericTable, UnusableTableError, numeric_table
from ._write import write_table
from ._write_columns import write_columns
from .graphs import Graph, read_graph
from .tables import Table, read_table

__all__ = [
    "Graph",
    "NumericTable",
    "Table",
    "UnusableTableError",
    "numeric_table",
    "read_costs",
    "read_graph",
    "read_table",
    "replacing",
    "write_columns",
    "write_table",
]
