"""What the scores of each method are, or the order of its columns, in a sentence for readers."""

_ROW = "The score is the length of the column's row of {}; larger is better."
_SQUARED = "The score is the squared length of the column's row of {}; larger is better."
_PROJECTION = "the projection W, which has few rows"
_REGRESSION = "the regression on the cluster indicators"

#: By name of the class.
SCORED: dict[str, str] = {
    "BLUFS": "The score of a chosen column is by how much the objective would rise without it, the "
    "others refitted; that of any other column, by how much it would fall at least if it joined "
    "them, scaled to stay below.",
    "LSDCL": "The score is the length of the column's weights in all concepts, times its spread.",
    "LaplacianScore": "The score is 1 less the Laplacian score: 1 where near rows are alike in the "
    "column, 0 where they are no more alike than others.",
    "MCFS": "The score is the largest weight the column has in the sparse regressions on the "
    "eigenvectors of the neighbor graph; 0 where no regression uses it.",
    "VarianceRank": "The score is the variance of the column.",
    "RandomRank": "The score is a random number: the random baseline.",
    "ColumnChoice": "The columns are in the order of the method taken.",
    "AlignedColumns": "The columns are in the order of choice.",
    "MixedColumns": "The columns are in the order of choice; those of one variable follow each "
    "other.",
    "CorrelatedColumns": "The columns that represent most others come first.",
    "UDFS": _ROW.format(_PROJECTION),
    "SPCAFS": _SQUARED.format(_PROJECTION),
    "SOGFS": _SQUARED.format(_PROJECTION),
    "ULAP": _SQUARED.format(_PROJECTION),
    "RNE": _SQUARED.format("the nonnegative projection H"),
    "NDFS": _ROW.format(_REGRESSION),
    "RUFS": _ROW.format(_REGRESSION),
    "BLSFS": _ROW.format(_REGRESSION),
    "BLSFE": "The score is the column's weight in the consensus of the base rankings.",
    "L1UFS": "The score is the length of the column's weights for the other columns.",
    "FSPCA": "The score is the column's part in the variance that the projection keeps; the chosen "
    "columns come first.",
}
