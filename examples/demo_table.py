"""Write the table of `make demo`: breast cancer, 569 patients, 30 measurements, one diagnosis.

The table ships with scikit-learn, so nothing is fetched.
"""

import sys
import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir())
folder.mkdir(parents=True, exist_ok=True)

data = load_breast_cancer(as_frame=True)
table = data.data.assign(diagnosis=data.target.map(dict(enumerate(data.target_names))))
path = folder / "breast_cancer.csv"
table.to_csv(path, index=False)
print(f"{path}: {len(table)} rows, {table.shape[1]} columns")
