from ._clusters import suggest_n_clusters as suggest_n_clusters
from ._columns import suggest_n_columns as suggest_n_columns
from ._communities import suggest_n_communities as suggest_n_communities
from ._one_lump import one_lump_p_value as one_lump_p_value
from ._suggestion import Suggestion as Suggestion
from ._variables import suggest_n_variables as suggest_n_variables
