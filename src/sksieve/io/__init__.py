"""Read tables and graphs from files of many formats, and write tables.

Readers refuse what they cannot read exactly, with one sentence that says what is wrong and what
to do (`sksieve.exceptions.DataError`); they never drop a row or column silently, never unpickle
anything, and judge the size of a table before they take memory for it.
"""

from .._replace import replacing
from ._write import write_table
from .graphs import Graph, read_graph
from .tables import Table, read_table

__all__ = ["Graph", "Table", "read_graph", "read_table", "replacing", "write_table"]
