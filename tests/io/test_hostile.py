"""Files that lie about themselves: one sentence, no memory taken, nothing outside them read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

pytest.importorskip("pyarrow")

from sksieve.exceptions import DataError, TooLargeError
from sksieve.io import read_graph, read_table


def npz(path: Path, **arrays: Any) -> Path:
    np.savez(path, **arrays)
    return path


def csr_parts(**changed: Any) -> dict[str, Any]:
    X = sp.csr_array(np.eye(4))
    parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
    return {"format": np.array(b"csr"), "shape": np.array(X.shape), **parts, **changed}


@pytest.mark.parametrize(
    "changed",
    [
        {"indices": np.array([0, 1, 2, 2_000_000_000])},
        {"indices": np.array([0, 1, 2, -7])},
        {"indptr": np.array([0, 3, 1, 3, 4])},
        {"indptr": np.array([0, 1, 2, 3, 99])},
        {"indptr": np.array([0, 1, 2, 4])},
        {"indices": np.array([0.5, 1.5, 2.5, 3.5])},
        {"shape": np.array([4, 2])},
        {"shape": np.array([-4, 4])},
        {"shape": np.array([4, 4, 4])},
        {"format": np.array(b"xyz")},
        {"format": np.array(b"csc"), "indices": np.array([0, 1, 2, 9])},
        {"format": np.array(b"bsr"), "data": np.ones((4, 2, 2)), "shape": np.array([8, 8]),
         "indices": np.array([0, 1, 2, 10**6])},
        {"format": np.array(b"coo"), "row": np.array([0, 1, 2, 9]), "col": np.arange(4)},
    ],
)  # fmt: skip
def test_sparse_npz(tmp_path, changed):
    path = npz(tmp_path / "a.npz", **csr_parts(**changed))
    with pytest.raises(DataError, match=r"a\.npz"):
        read_table(path)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_sound_sparse_npz(tmp_path, kind):
    X = sp.random_array((12, 6), density=0.4, random_state=np.random.default_rng(0), format="csr")
    sp.save_npz(tmp_path / "a.npz", X.asformat(kind))
    np.testing.assert_array_equal(read_table(tmp_path / "a.npz").data.toarray(), X.toarray())


def test_declared_shapes_are_judged_before_names_are_made(tmp_path):
    huge = csr_parts(shape=np.array([4, 10**9]))
    with pytest.raises(TooLargeError, match="1,000,000,000"):
        read_table(npz(tmp_path / "sp_huge.npz", **huge))
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n20 1000000000 1\n1 1 1.0\n")
    with pytest.raises(TooLargeError, match=r"a\.mtx, of 20 x 1,000,000,000"):
        read_table(path)
    np.save(tmp_path / "a.npy", np.empty((0, 10**9)))
    with pytest.raises(TooLargeError):
        read_table(tmp_path / "a.npy")


@pytest.mark.parametrize(
    ("sizes", "error"),
    [
        ("20 30 1000000000", "declares 1,000,000,000 entries"),
        ("-2 3 1", "cannot be read as Matrix Market"),
        ("3 3", "cannot be read as Matrix Market"),
        ("99999999999999999999 3 1", "would need about"),
        ("3 3 1 7", "cannot be read as Matrix Market"),
    ],
)
def test_matrix_market(tmp_path, sizes, error):
    path = tmp_path / "a.mtx"
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{sizes}\n1 1 1.0\n")
    with pytest.raises(DataError, match=error):
        read_table(path)


def test_index_out_of_range_in_matrix_market(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n3 3 1\n9 9 1.0\n")
    with pytest.raises(DataError, match="Matrix Market"):
        read_table(path)


@pytest.mark.parametrize("sizes", ["array real general\n2 2", "coordinate real general\n2 2 4"])
@pytest.mark.parametrize("end", [".mtx", ".mtx.gz"])
@pytest.mark.parametrize("byte", [0, 15, 200])
def test_bytes_among_the_numbers_of_matrix_market(tmp_path, sizes, end, byte):
    """SciPy's parser ends the process at some of them."""
    entries = ["1 1 1.5", "1 2 2.5", "2 1 6.89E-\0", "2 2 7"]
    entries = entries if "coordinate" in sizes else [entry.split()[-1] for entry in entries]
    text = f"%%MatrixMarket matrix {sizes}\n" + "\n".join(entries) + "\n"
    content = text.encode().replace(b"\0", bytes([byte]))
    path = tmp_path / f"a{end}"
    path.write_bytes(gzip.compress(content) if end.endswith("gz") else content)
    with pytest.raises(DataError, match=f"byte {byte} among its numbers"):
        read_table(path)


def test_remarks_in_matrix_market_may_hold_anything(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_bytes(
        b"%%MatrixMarket matrix array real general\n% caf\xc3\xa9\0\n2 2\n1\n2\n3\n4\n"
    )
    np.testing.assert_array_equal(read_table(path).to_frame(), [[1, 3], [2, 4]])


def test_a_refused_table_does_not_block_the_end_of_the_process(tmp_path):
    """Several threads of Arrow can, at a later line that is refused: they leave tasks behind."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b,c,d\n" + b"1.5,2.5,abc,4\n" * 2_000_000 + b"1\n")
    code = (
        "import sys; from sksieve import set_config; from sksieve.io import read_table\n"
        "set_config(memory_limit=float(sys.argv[2]))\n"
        "try: read_table(sys.argv[1])\n"
        "except Exception as error: print(error)"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "8"}
    for limit, message in (("2e8", "the limit of 200 MB"), ("4e9", "line 2000002 has 1 cell")):
        end = subprocess.run(
            [sys.executable, "-c", code, path, limit],
            env=environment, capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        assert message in end.stdout


def lying_member(shape: tuple[int, ...], content: bytes = b"") -> bytes:
    """An NPY file whose header declares `shape`."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return file.getvalue() + content


def test_npz_bombs(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", lying_member((10**6, 1000), bytes(800)))
    with pytest.raises(DataError, match="declares 8,000,000,000 bytes and holds 800"):
        read_table(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        small = np.arange(12.0).reshape(4, 3)
        buffer = io.BytesIO()
        np.save(buffer, small)
        archive.writestr("X.npy", buffer.getvalue())
        with archive.open("bomb.npy", "w") as member:
            member.write(lying_member((10, 10**6), bytes(8 * 10**7)))
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", "1e7")
    np.testing.assert_array_equal(read_table(path).data, small)  # the bomb is not unpacked
    with pytest.raises(TooLargeError, match=r"a\.npz\[bomb\].* would need about 640 MB"):
        read_table(path, name="bomb")


def test_two_arrays_of_one_name(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", lying_member((3, 2), bytes(48)))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("X.npy", lying_member((3, 2), bytes(48)))
    with pytest.raises(DataError, match="two arrays called 'X'"):
        read_table(path)


def mat5(path: Path, patch: Any = None, compress: bool = False, **arrays: Any) -> Path:
    scipy.io.savemat(path, arrays, do_compression=compress)
    if patch is not None:
        content = bytearray(path.read_bytes())
        patch(content)
        path.write_bytes(bytes(content))
    return path


def test_sparse_matrices_of_version_5(tmp_path):
    def row_outside(content: bytearray) -> None:
        rows = np.arange(4, dtype="<i4").tobytes()
        at = content.index(rows)
        content[at : at + 16] = np.array([0, 1, 2, 2**30], dtype="<i4").tobytes()

    path = mat5(tmp_path / "a.mat", row_outside, X=sp.csc_array(np.eye(4)))
    with pytest.raises(DataError, match="entries outside its shape"):
        read_table(path)

    def falling(content: bytearray) -> None:
        pointers = np.arange(5, dtype="<i4").tobytes()
        at = content.index(pointers)
        content[at : at + 20] = np.array([0, 3, 1, 3, 4], dtype="<i4").tobytes()

    path = mat5(tmp_path / "b.mat", falling, X=sp.csc_array(np.eye(4)))
    with pytest.raises(DataError, match="pointers of the sparse matrix 'X'"):
        read_table(path)
    sound = mat5(tmp_path / "c.mat", X=sp.csc_array(np.eye(4)), compress=True)
    np.testing.assert_array_equal(read_table(sound).data.toarray(), np.eye(4))


def test_lying_shapes_of_version_5(tmp_path):
    def wide(content: bytearray) -> None:
        shape = np.array([5, 3], dtype="<i4").tobytes()
        at = content.index(shape)
        content[at : at + 8] = np.array([5, 2**30], dtype="<i4").tobytes()

    path = mat5(tmp_path / "a.mat", wide, X=np.ones((5, 3)))
    with pytest.raises(TooLargeError, match="5 x 1,073,741,824"):
        read_table(path)

    def many_cells(content: bytearray) -> None:
        shape = np.array([1, 3], dtype="<i4").tobytes()
        at = content.index(shape)
        content[at : at + 8] = np.array([1, 2**20], dtype="<i4").tobytes()

    cells = np.array(["a", "b", "c"], dtype=object)
    path = mat5(tmp_path / "b.mat", many_cells, feature_names=cells, X=np.ones((5, 3)))
    with pytest.raises(DataError, match="does not hold what it declares"):
        read_table(path)


def test_any_damaged_byte_of_version_5_is_read_or_refused(tmp_path):
    """Neither another exception nor the end of the process."""
    cells = np.array(["a", "b"], dtype=object)
    path = mat5(tmp_path / "a.mat", X=sp.csc_array(np.eye(2)), names=cells)
    content, refusals = path.read_bytes(), ""
    for at in range(126, len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x17]) + content[at + 1 :])
        try:
            read_table(path)
        except DataError as error:
            refusals += str(error)
    for reason in (
        "its header is not that of a MAT file",
        "an element of type",
        "it is cut off",
        "a short element that is too long",
        "a variable without flags, shape or name",
        "the cell array 'names' does not hold what it declares",
        "characters that it declares",
        "the sparse matrix 'X' lacks its indices",
        "the sparse matrix 'X' holds fewer entries than it declares",
    ):
        assert reason in refusals


def test_a_compressed_bomb_of_version_5(tmp_path):
    path = mat5(tmp_path / "a.mat", X=np.ones((5, 3)))
    inner = path.read_bytes()[128:]
    packed = zlib.compress(inner[:4] + struct.pack("<I", 2**31 - 8) + inner[8:] + bytes(10**7))
    path.write_bytes(path.read_bytes()[:128] + struct.pack("<II", 15, len(packed)) + packed)
    with pytest.raises(DataError, match="cut off"):
        read_table(path)


def mat73(path: Path, **arrays: Any) -> Path:
    with h5py.File(path, "w", userblock_size=512) as file:
        for key, value in arrays.items():
            file[key] = value
    return path


def test_nothing_outside_a_file_of_version_73_is_read(tmp_path):
    secret = tmp_path / "secret.bin"
    secret.write_bytes(np.arange(12.0).tobytes())
    with h5py.File(tmp_path / "a.mat", "w", userblock_size=512) as file:
        file.create_dataset("X", (3, 4), "f8", external=[(str(secret), 0, 96)])
    with pytest.raises(DataError, match="the values of 'X' lie in other files"):
        read_table(tmp_path / "a.mat")

    other = mat73(tmp_path / "other.mat", X=np.ones((3, 4)))
    with h5py.File(tmp_path / "b.mat", "w", userblock_size=512) as file:
        file["X"] = h5py.ExternalLink(str(other), "/X")
    with pytest.raises(DataError, match="'X' is an external link"):
        read_table(tmp_path / "b.mat")

    with h5py.File(tmp_path / "c.mat", "w", userblock_size=512) as file:
        layout = h5py.VirtualLayout((3, 4), "f8")
        layout[:] = h5py.VirtualSource(str(other), "X", (3, 4))
        file.create_virtual_dataset("X", layout)
    with pytest.raises(DataError, match="the values of 'X' lie in other files"):
        read_table(tmp_path / "c.mat")

    with h5py.File(tmp_path / "d.mat", "w", userblock_size=512) as file:
        file.create_group("deep")["link"] = h5py.SoftLink("/elsewhere")
        file["X"] = np.ones((3, 4))
    with pytest.raises(DataError, match="'deep/link' is a soft link"):
        read_table(tmp_path / "d.mat")


def test_sizes_and_indices_of_version_73(tmp_path):
    with h5py.File(tmp_path / "a.mat", "w") as file:
        file.create_dataset("X", (10**6, 10**6), "f8", chunks=(100, 100))
    with pytest.raises(TooLargeError, match="GB"):
        read_table(tmp_path / "a.mat")
    X = sp.csc_array(np.eye(4))
    for key, value in {"ir": np.array([0, 1, 2, 10**7]), "jc": np.array([0, 3, 1, 3, 4])}.items():
        with h5py.File(tmp_path / "b.mat", "w") as file:
            group = file.create_group("X")
            group.attrs["MATLAB_sparse"] = np.uint64(4)
            parts = {"data": X.data, "ir": X.indices, "jc": X.indptr, key: value}
            for name, part in parts.items():
                group[name] = part
        with pytest.raises(DataError, match="not a valid sparse matrix"):
            read_table(tmp_path / "b.mat")


def test_h5ad(tmp_path):
    anndata = pytest.importorskip("anndata")
    X = sp.csr_matrix(np.eye(5))
    for key, value in {"indices": 10**6, "indptr": 99}.items():
        anndata.AnnData(X).write_h5ad(tmp_path / "a.h5ad")
        with h5py.File(tmp_path / "a.h5ad", "r+") as file:
            file["X"][key][-1] = value
        with pytest.raises(DataError, match=r"a\.h5ad"):
            read_table(tmp_path / "a.h5ad")
    with h5py.File(tmp_path / "a.h5ad", "r+") as file:
        del file["X"]
        file["X"] = h5py.ExternalLink("/etc/passwd", "/")
    with pytest.raises(DataError, match="'X' is an external link"):
        read_table(tmp_path / "a.h5ad")


@pytest.mark.parametrize(
    ("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_bombs_of_text(tmp_path, monkeypatch, ending, pack):
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", "1e7")
    path = tmp_path / f"a.csv{ending}"
    path.write_bytes(pack(b"a,b\n" + b"1,2\n" * 10**6))
    assert path.stat().st_size < 10**4
    with pytest.raises(DataError, match=r"Reading a\.csv"):
        read_table(path)


def test_vertices_are_judged_before_names_are_made(tmp_path):
    np.savez(tmp_path / "a.npz", edges=np.array([[0, 1], [1, 10**12]]))
    with pytest.raises(TooLargeError, match="vertices"):
        read_graph(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", edges=np.array([[0, 1], [1, np.inf]]))
    with pytest.raises(DataError, match="vertices are whole numbers from 0"):
        read_graph(tmp_path / "a.npz")


def test_infinite_vertices_of_a_table(tmp_path):
    import pandas as pd

    pd.DataFrame({"source": [1.0, np.inf], "target": [2.0, 3.0]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataError, match="edge 2 has the vertex inf"):
        read_graph(tmp_path / "a.parquet")


def test_a_home_folder_that_does_not_exist(refused):
    message = refused("select", "~nosuchuser/a.csv", "-k", 1)
    assert message.startswith("There is no file ~nosuchuser/a.csv: ~nosuchuser is not")


def test_pipes_are_refused(refused, tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    assert "is a device or a pipe" in refused("select", tmp_path / "a.csv", "-k", 1)


def test_wide_text_is_read_as_one_block(tmp_path):
    X = np.random.default_rng(0).normal(size=(4, 3000)).round(6)
    path = tmp_path / "a.csv"
    path.write_text("\n".join([",".join(f"g{i}" for i in range(3000))]
                              + [",".join(map(repr, row)) for row in X.tolist()]))  # fmt: skip
    table = read_table(path)
    assert isinstance(table.data, np.ndarray)
    np.testing.assert_array_equal(table.data, X)
    text = path.read_text().replace("\n", ",class\n", 1).replace("\n", ",x\n")
    path.write_text(text.replace(",class,x\n", ",class\n") + ",x\n")
    table = read_table(path)
    assert table.columns[-1] == "class"
    np.testing.assert_array_equal(table.to_frame().iloc[:, :3000].to_numpy(dtype=float), X)


def test_a_ragged_line_that_is_not_utf8(refused, tmp_path, capfd):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n1,2\n\xff\xfe\x9d\n3,4\n")
    message = refused("select", path, "-k", 1)
    assert message.startswith("a.csv: line 3 has 1 cell where 2 are expected")
    assert "Traceback" not in capfd.readouterr().err
