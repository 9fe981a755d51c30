"""Every format gives the same table; what is written can be read back."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse as sp

from .conftest import NAMES

Y = np.arange(30) % 2


def _frame(X: Any) -> pa.Table:
    return pa.table({name: X[:, i] for i, name in enumerate(NAMES)})


def _csv(X: Any, sep: str = ",") -> str:
    rows = [sep.join(map(repr, row)) for row in X.tolist()]
    return "\n".join([sep.join(NAMES), *rows]) + "\n"


def _mat_73(path: Path, X: Any) -> None:
    """As MATLAB writes it: 512 bytes of its own, columns first, names as references to text."""
    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"] = X.T
        file["X"].attrs["MATLAB_class"] = np.bytes_("double")
        file["Y"] = Y[None, :].astype(float)
        texts = [
            file.create_dataset(f"#refs#/{i}", data=np.array([[ord(c)] for c in name], np.uint16))
            for i, name in enumerate(NAMES)
        ]
        references = np.array([text.ref for text in texts], dtype=h5py.ref_dtype)
        file["feature_names"] = references[None, :]
        csc = sp.csc_array(X)
        group = file.create_group("S")
        group.attrs["MATLAB_sparse"] = np.uint64(len(X))
        group["data"], group["ir"], group["jc"] = csc.data, csc.indices, csc.indptr


def _h5ad(path: Path, X: Any) -> None:
    anndata = pytest.importorskip("anndata")
    import pandas as pd

    cells = pd.DataFrame(
        {"kind": np.where(Y, "b", "a")}, index=[f"c{i}" for i in range(X.shape[0])]
    )
    adata = anndata.AnnData(X, obs=cells, var=pd.DataFrame(index=NAMES))
    adata.layers["twice"] = 2 * X
    adata.write_h5ad(path)


WRITERS: dict[str, Callable[[Path, Any], Any]] = {
    "t.csv": lambda p, X: p.write_text(_csv(X)),
    "t.tsv": lambda p, X: p.write_text(_csv(X, "\t")),
    "t.csv.gz": lambda p, X: p.write_bytes(gzip.compress(_csv(X).encode())),
    "t.tsv.gz": lambda p, X: p.write_bytes(gzip.compress(_csv(X, "\t").encode())),
    "t.parquet": lambda p, X: pyarrow.parquet.write_table(_frame(X), p),
    "t.feather": lambda p, X: pyarrow.feather.write_feather(_frame(X), p),
    "t.npz": lambda p, X: np.savez(p, X=X, feature_names=np.array(NAMES), y=Y),
    "v5.mat": lambda p, X: scipy.io.savemat(
        p, {"X": X, "feature_names": np.array(NAMES, dtype=object), "Y": Y[:, None]}
    ),
    "v73.mat": _mat_73,
    "t.h5ad": _h5ad,
    "CAPITALS.CSV": lambda p, X: p.write_text(_csv(X)),
}
NAMELESS: dict[str, Callable[[Path, Any], Any]] = {
    "t.npy": lambda p, X: np.save(p, X),
    "only.npz": lambda p, X: np.savez(p, table=X, gnd=Y),
    "sparse.npz": lambda p, X: sp.save_npz(p, sp.csr_matrix(X)),
    "only.mat": lambda p, X: scipy.io.savemat(p, {"fea": sp.csc_matrix(X), "gnd": Y[:, None]}),
    "dense.mtx": lambda p, X: scipy.io.mmwrite(p, X, precision=17),
    "sparse.mtx": lambda p, X: scipy.io.mmwrite(p, sp.coo_array(X), precision=17),
}


@pytest.fixture
def answer(invoke) -> Callable[..., Any]:
    """The JSON document of a selection by the greedy method."""

    def run(*words: object, stdin: bytes | None = None) -> Any:
        words = ("select", *words, "--method", "greedy", "--json")
        result = invoke(*words, stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return run


@pytest.fixture
def expected(values) -> Any:
    from sksieve import GreedyCSS

    return GreedyCSS(n_features_to_select=3, scale="standard").fit(values)


def chosen(document: Any) -> list[str]:
    return [column["name"] for column in document["chosen"]]


@pytest.mark.parametrize("name", WRITERS)
def test_formats_with_names(answer, values, expected, tmp_path, name):
    WRITERS[name](tmp_path / name, values)
    document = answer(tmp_path / name, "-k", 3)
    assert document["columns"] == NAMES
    assert chosen(document) == [NAMES[j] for j in expected.ranking_[:3]]
    assert document["train"]["error"] == pytest.approx(expected.objective_, rel=1e-12)
    assert document["data"]["n_samples"] == 30


@pytest.mark.parametrize("name", NAMELESS)
def test_formats_without_names(answer, values, expected, tmp_path, name):
    NAMELESS[name](tmp_path / name, values)
    document = answer(tmp_path / name, "-k", 3)
    assert document["columns"] == [f"x{i}" for i in range(5)]
    assert chosen(document) == [f"x{j}" for j in expected.ranking_[:3]]
    assert document["train"]["error"] == pytest.approx(expected.objective_, rel=1e-9)
    assert document["data"]["sparse"] == (name in ("sparse.npz", "only.mat", "sparse.mtx"))


def test_gzipped_matrix_market(answer, values, expected, tmp_path):
    scipy.io.mmwrite(tmp_path / "t.mtx", sp.coo_array(values), precision=17)
    packed = tmp_path / "t.mtx.gz"
    packed.write_bytes(gzip.compress((tmp_path / "t.mtx").read_bytes()))
    document = answer(packed, "-k", 3)
    assert document["data"]["sparse"]
    assert document["train"]["error"] == pytest.approx(expected.objective_, rel=1e-12)


def test_sparse_variables_of_version_73(answer, values, expected, tmp_path):
    _mat_73(tmp_path / "a.mat", values)
    document = answer(tmp_path / "a.mat", "-k", 3, "--name", "S")
    assert document["data"]["sparse"]
    assert document["train"]["error"] == pytest.approx(expected.objective_, rel=1e-9)


def test_layers_and_cell_labels_of_h5ad(answer, values, tmp_path):
    _h5ad(tmp_path / "a.h5ad", sp.csr_matrix(values))
    out = tmp_path / "o.csv"
    words = ("-k", 2, "--name", "twice", "--scale", "none", "--label-column", "kind", "-o", out)
    document = answer(tmp_path / "a.h5ad", *words)
    assert document["data"]["sparse"]
    assert document["train"]["total"] == pytest.approx(4 * np.sum(values**2))
    assert out.read_text().splitlines()[0].endswith(",kind")
    assert out.read_text().splitlines()[2].endswith(",b")


def test_standard_input(answer, values, expected):
    document = answer("-", "-k", 3, stdin=_csv(values).encode())
    assert chosen(document) == [NAMES[j] for j in expected.ranking_[:3]]
    assert document["data"]["sha256_of"] == "stdin"


def test_text_conventions(answer, values, expected, tmp_path):
    text = _csv(values, ";").replace(".", ",").split("\n", 1)[1]
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    words = ("--no-header", "--sep", ";", "--decimal", ",")
    document = answer(tmp_path / "a.csv", "-k", 3, *words)
    assert chosen(document) == [f"x{j}" for j in expected.ranking_[:3]]
    assert document["train"]["error"] == pytest.approx(expected.objective_, rel=1e-12)


def test_words_for_missing_values(answer, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n2,?\n4,-99\n5,1\n7,NA\n")
    words = ("--missing", "?", "--missing", "-99", "--impute", "median")
    document = answer(path, "-k", 2, *words)
    assert document["notes"] == [
        "3 missing values in 1 column replaced by the column's median: 'b' 3 (--impute median)."
    ]


def test_types_of_numbers(answer, tmp_path):
    columns = {
        "int": pa.array([1, 2, 9], pa.int16()),
        "big": pa.array([2**63, 2**40, 5], pa.uint64()),
        "bool": pa.array([True, False, True]),
        "half": pa.array(np.array([1, 2, 4], np.float16)),
        "money": pa.array([1, 2, 3]).cast(pa.decimal128(24, 2)),
        "kind": pa.array([1.5, 2.5, 1.5]).dictionary_encode(),
    }
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    document = answer(tmp_path / "a.parquet", "-k", 1, "--scale", "none")
    total = 86 + (2.0**126 + 2.0**80 + 25) + 2 + 21 + 14 + (2.25 + 6.25 + 2.25)
    assert document["train"]["total"] == pytest.approx(total)
    assert document["columns"] == list(columns)


def test_single_precision_stays(values, tmp_path):
    from sksieve.io import numeric_table, read_table

    np.save(tmp_path / "a.npy", values.astype(np.float32))
    pyarrow.parquet.write_table(_frame(values.astype(np.float32)), tmp_path / "a.parquet")
    for name in ("a.npy", "a.parquet"):
        table = read_table(str(tmp_path / name))
        X = numeric_table(table).X
        assert X.dtype == np.float32
        np.testing.assert_array_equal(X, values.astype(np.float32))
    assert isinstance(read_table(str(tmp_path / "a.npy")).data, np.memmap)


def test_single_beside_double_precision_is_double(values, tmp_path):
    from sksieve.io import numeric_table, read_table

    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(
        pa.table({"a": values[:, 0].astype(np.float32), "b": values[:, 1] + 1e-9}), path
    )
    X = numeric_table(read_table(path)).X
    np.testing.assert_array_equal(X[:, 1], values[:, 1] + 1e-9)


def _read_back(path: Path) -> tuple[list[str] | None, Any, Any]:
    """Names, values, labels of a written file, by the format's own library."""
    suffix = path.suffix
    if suffix in (".csv", ".tsv"):
        sep = "," if suffix == ".csv" else "\t"
        lines = [line.split(sep) for line in path.read_text().splitlines()]
        X = np.array([row[:2] for row in lines[1:]], dtype=float)
        return lines[0][:2], X, [row[2] for row in lines[1:]]
    if suffix in (".parquet", ".feather"):
        read = pa.parquet.read_table if suffix == ".parquet" else pa.feather.read_table
        frame = read(path)
        X = np.column_stack([frame.column(i).to_numpy() for i in range(2)])
        return frame.column_names[:2], X, frame.column("group").to_pylist()
    if suffix == ".npz":
        with np.load(path, allow_pickle=False) as stored:
            return stored["feature_names"].tolist(), stored["X"], stored["y"].tolist()
    return None, np.load(path) if suffix == ".npy" else scipy.io.mmread(path), None


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "feather", "npz", "npy", "mtx"])
def test_output(invoke, csv, values, expected, tmp_path, suffix):
    out = tmp_path / f"out.{suffix}"
    words = ("select", csv, "-k", 2, "--method", "greedy", "--label-column", "group")
    result = invoke(*words, "-o", out)
    assert result.exit_code == 0, result.stderr
    names, X, labels = _read_back(out)
    best = expected.ranking_[:2]
    np.testing.assert_array_equal(X, values[:, best])
    if names is None:
        assert f"{out.name}: " in result.stderr.replace(str(tmp_path) + "/", "")
        assert "the label column 'group' are not in it" in result.stderr
    else:
        assert names == [NAMES[j] for j in best]
        assert labels == ["ab"[i % 2] for i in range(30)]
    assert not list(tmp_path.glob(".*part"))


def test_output_keeps_whole_numbers(answer, tmp_path):
    path, out = tmp_path / "a.csv", tmp_path / "o.csv"
    path.write_text("a,b,flag\n1,20,true\n5,10,false\n3,7,false\n")
    answer(path, "-k", 3, "--scale", "none", "-o", out)
    rows = {tuple(sorted(line.split(","))) for line in out.read_text().splitlines()}
    assert ("1", "20", "true") in rows
    np.save(tmp_path / "a.npy", np.array([[1, 20], [5, 10], [3, 7]], dtype=np.uint8))
    answer(tmp_path / "a.npy", "-k", 2, "-o", tmp_path / "o.npy")
    assert np.load(tmp_path / "o.npy").dtype == np.uint8


def test_output_of_sparse_tables(answer, values, tmp_path):
    X = sp.csr_array(np.where(values > 1, values, 0.0))
    sp.save_npz(tmp_path / "a.npz", X)
    out = tmp_path / "o.npz"
    document = answer(tmp_path / "a.npz", "-k", 2, "--scale", "unit", "-o", out)
    columns = [column["indices"][0] for column in document["chosen"]]
    np.testing.assert_array_equal(sp.load_npz(out).toarray(), X.toarray()[:, columns])
    again = answer(out, "-k", 1)
    assert set(again["columns"]) == set(chosen(document))


def test_imputed_and_encoded_values_are_written(answer, tmp_path):
    path, out = tmp_path / "a.csv", tmp_path / "o.csv"
    path.write_text("a,color\n1,red\n,blue\n3,green\n8,\n")
    words = ("--impute", "mean", "--encode", "onehot", "--scale", "none")
    document = answer(path, "-k", 3, *words, "-o", out)
    assert document["columns"] == [
        "a", "color=(missing)", "color=blue", "color=green", "color=red"
    ]  # fmt: skip
    header, *rows = [line.split(",") for line in out.read_text().splitlines()]
    assert float(rows[1][header.index("a")]) == 4.0
    assert sorted({cell for row in rows for cell in row[1:]}) == ["0.0", "1.0"]


def test_two_values_become_one_column(answer, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,sex\n1,f\n2,m\n4,f\n")
    assert answer(path, "-k", 1, "--encode", "onehot")["columns"] == ["a", "sex=m"]
