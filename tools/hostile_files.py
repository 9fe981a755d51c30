"""Files that break programs: damaged, lying about themselves, enormous, or reaching for others.

`KINDS` holds one `Kind` for each; ``kind.make(folder, rng)`` writes one into `folder`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import sqlite3
import struct
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import h5py
import networkx as nx
import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

from hostile_structure import CHANGED

try:
    import anndata
except ModuleNotFoundError:
    anndata = None
try:
    import openpyxl
except ModuleNotFoundError:
    openpyxl = None

__all__ = ["KINDS", "SECRET", "Kind"]

Rng = np.random.Generator
#: The numbers of a file beside each hostile one; no output may hold them.
SECRET = 86420.13579
ROWS, COLUMNS, VERTICES = 20, 4, 12


@dataclass(frozen=True)
class Kind:
    """A kind of hostile file.

    Attributes
    ----------
    name : str
    make : callable
        Writes a file into a folder that holds ``secret.bin`` and returns its name.
    is_graph : bool
        Whether it is made for ``sksieve communities``.
    must : {"read", "refuse", "either"}
        Whether the file is sound, must be refused, or may be either.
    is_heavy : bool
        Whether it takes seconds to make; left out of small runs.
    """

    name: str
    make: Callable[[Path, Rng], str]
    is_graph: bool = False
    must: str = "either"
    is_heavy: bool = False


def numbers(seed: int = 7) -> Any:
    """The table that most files hold: twenty rows of four columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, COLUMNS)).round(3)
    X[: ROWS // 2] += 4.0
    return X.round(3)


def sparse() -> Any:
    """The same table with few entries."""
    X = numbers()
    return sp.csr_array(np.where(np.abs(X) > 0.3, X, 0.0))


def adjacency() -> Any:
    """Two groups of six vertices."""
    A = np.zeros((VERTICES, VERTICES))
    A[:6, :6] = A[6:, 6:] = 1.0
    A[0, 6] = A[6, 0] = 1.0
    np.fill_diagonal(A, 0.0)
    return A


def edges() -> list[tuple[int, int]]:
    """Its edges, once each."""
    return [(i, j) for i in range(VERTICES) for j in range(i) if adjacency()[i, j]]


NAMES = [f"c{j}" for j in range(COLUMNS)]


def frame() -> pd.DataFrame:
    return pd.DataFrame(numbers(), columns=NAMES)


def text(sep: str = ",") -> str:
    return frame().to_csv(index=False, sep=sep)


def saved(write: Callable[[Path], Any], name: str) -> bytes:
    """What a library writes."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write(Path(folder) / name)
        return (Path(folder) / name).read_bytes()


def _mat73(path: Path, is_sparse: bool = False) -> None:
    with h5py.File(path, "w", userblock_size=512) as file:
        if is_sparse:
            X = sp.csc_array(sparse())
            group = file.create_group("X")
            group.attrs["MATLAB_sparse"] = np.uint64(ROWS)
            group["data"], group["ir"], group["jc"] = X.data, X.indices, X.indptr
        else:
            file.create_dataset("X", data=numbers().T, chunks=(2, 5), compression="gzip")


def _h5ad(path: Path) -> None:
    obs = pd.DataFrame({"kind": ["a", "b"] * 10}, index=[f"r{i}" for i in range(ROWS)])
    anndata.AnnData(sp.csr_matrix(sparse()), obs, pd.DataFrame(index=NAMES)).write_h5ad(path)


#: Name of a sound file of a table -> its content, made once.
TABLES: dict[str, Callable[[], bytes]] = {
    "t.csv": lambda: text().encode(),
    "t.tsv": lambda: text("\t").encode(),
    "t.txt": lambda: text(" ").encode(),
    "t.csv.gz": lambda: gzip.compress(text().encode(), mtime=0),
    "t.csv.bz2": lambda: bz2.compress(text().encode()),
    "t.csv.xz": lambda: lzma.compress(text().encode()),
    "t.csv.zip": lambda: _zip({"t.csv": text().encode()}),
    "t.json": lambda: frame().to_json(orient="records").encode(),
    "t.jsonl": lambda: frame().to_json(orient="records", lines=True).encode(),
    "t.parquet": lambda: saved(frame().to_parquet, "t.parquet"),
    "t.feather": lambda: saved(frame().to_feather, "t.feather"),
    "t.npy": lambda: saved(lambda p: np.save(p, numbers()), "t.npy"),
    "t.npz": lambda: saved(lambda p: np.savez(p, X=numbers(), y=np.arange(ROWS)), "t.npz"),
    "packed.npz": lambda: saved(lambda p: np.savez_compressed(p, X=numbers()), "p.npz"),
    "csr.npz": lambda: saved(lambda p: sp.save_npz(p, sparse()), "s.npz"),
    "coo.npz": lambda: saved(lambda p: sp.save_npz(p, sparse().tocoo()), "s.npz"),
    "v5.mat": lambda: saved(lambda p: scipy.io.savemat(p, {"X": numbers()}), "v.mat"),
    "sparse.mat": lambda: saved(
        lambda p: scipy.io.savemat(p, {"X": sp.csc_array(sparse())}, do_compression=True), "v.mat"
    ),
    "v4.mat": lambda: saved(lambda p: scipy.io.savemat(p, {"X": numbers()}, format="4"), "v.mat"),
    "v73.mat": lambda: saved(_mat73, "v.mat"),
    "sparse73.mat": lambda: saved(partial(_mat73, is_sparse=True), "v.mat"),
    "t.mtx": lambda: saved(lambda p: scipy.io.mmwrite(p, numbers()), "t.mtx"),
    "sparse.mtx": lambda: saved(lambda p: scipy.io.mmwrite(p, sparse()), "t.mtx"),
}
if anndata is not None:
    TABLES["t.h5ad"] = lambda: saved(_h5ad, "t.h5ad")
if openpyxl is not None:
    TABLES["t.xlsx"] = lambda: saved(lambda p: frame().to_excel(p, index=False), "t.xlsx")

GRAPHS: dict[str, Callable[[], bytes]] = {
    "g.csv": lambda: _lines(edges()),
    "g.txt": lambda: b"% a remark\n" + _lines(edges(), " "),
    "g.mtx": lambda: saved(lambda p: scipy.io.mmwrite(p, sp.coo_array(adjacency())), "g.mtx"),
    "g.npz": lambda: saved(lambda p: np.savez(p, edges=np.array(edges())), "g.npz"),
    "g.parquet": lambda: saved(
        pd.DataFrame(edges(), columns=["source", "target"]).to_parquet, "g.parquet"
    ),
    "g.graphml": lambda: saved(lambda p: nx.write_graphml(nx.Graph(edges()), p), "g.graphml"),
    "g.gml": lambda: saved(lambda p: nx.write_gml(nx.Graph(edges()), p), "g.gml"),
}


def _lines(rows: Any, sep: str = ",") -> bytes:
    return "".join(sep.join(map(str, row)) + "\n" for row in rows).encode()


def _zip(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


@cache
def sound(name: str) -> bytes:
    """The content of a sound file."""
    return {**TABLES, **GRAPHS}[name]()


# Damage to any file: bytes in, bytes out.


def flipped(content: bytes, rng: Rng) -> bytes:
    damaged = bytearray(content)
    for at in rng.integers(len(damaged), size=int(rng.integers(1, 12))):
        damaged[at] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def cut(content: bytes, rng: Rng) -> bytes:
    return content[: int(rng.integers(1, len(content)))]


def zeroed(content: bytes, rng: Rng) -> bytes:
    at = int(rng.integers(len(content)))
    n = int(rng.integers(1, 64))
    return content[:at] + bytes(n) + content[at + n :]


def doubled(content: bytes, rng: Rng) -> bytes:
    at, end = sorted(rng.integers(len(content) + 1, size=2))
    return content[:end] + content[at:end] + content[end:]


def noisy(content: bytes, rng: Rng) -> bytes:
    at = int(rng.integers(len(content)))
    return content[:at] + rng.bytes(int(rng.integers(1, 200))) + content[at:]


def with_extreme_integer(content: bytes, rng: Rng) -> bytes:
    """A whole number in the file replaced by one that a length or an index should not be."""
    size = int(rng.choice([4, 8]))
    if len(content) < 2 * size:
        return content + b"\xff"
    at = int(rng.integers(len(content) // size)) * size
    extreme = int(rng.choice([-1, 0, 1, 2**31 - 1, -(2**31), 10**6]))
    return content[:at] + extreme.to_bytes(size, "little", signed=True) + content[at + size :]


def with_extreme_digits(content: bytes, rng: Rng) -> bytes:
    """A number in the text replaced by one out of range."""
    import re

    places = list(re.finditer(rb"\d+", content))
    if not places:
        return content + b"9"
    place = places[int(rng.integers(len(places)))]
    word = [b"9" * 30, b"-1", b"1e999", b"nan", b"inf", b"0x10", b"1_000", b"\xff", b"'", b"\0"]
    return content[: place.start()] + word[int(rng.integers(len(word)))] + content[place.end() :]


DAMAGE = {
    f.__name__: f
    for f in (
        flipped,
        cut,
        zeroed,
        doubled,
        noisy,
        with_extreme_integer,
        with_extreme_digits,
    )
}


def _damaged(
    damage: Callable[[bytes, Rng], bytes], sources: dict[str, Any], folder: Path, rng: Rng
) -> str:
    name = str(rng.choice(list(sources)))
    (folder / name).write_bytes(damage(sound(name), rng))
    return name


def _renamed(folder: Path, rng: Rng) -> str:
    """A sound file under the ending of another format."""
    first, second = rng.choice([*TABLES, *GRAPHS], size=2, replace=False)
    (folder / str(second)).write_bytes(sound(str(first)))
    return str(second)


def _sound(sources: dict[str, Any], folder: Path, rng: Rng) -> str:
    name = str(rng.choice(list(sources)))
    (folder / name).write_bytes(sound(name))
    return name


# Text.


def _text(content: str | bytes, name: str, folder: Path, rng: Rng) -> str:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def _changed_cell(cell: str, folder: Path, rng: Rng) -> str:
    rows = [line.split(",") for line in text().splitlines()]
    rows[int(rng.integers(1, len(rows)))][int(rng.integers(COLUMNS))] = cell
    return _text("\n".join(map(",".join, rows)) + "\n", "t.csv", folder, rng)


def _wide(folder: Path, rng: Rng) -> str:
    n = int(rng.choice([20_000, 100_000]))
    rows = [",".join(f"g{j}" for j in range(n))]
    rows += [",".join(map(str, row)) for row in rng.integers(0, 1000, size=(6, n)).tolist()]
    return _text("\n".join(rows), "wide.csv", folder, rng)


def _wide_with_text(folder: Path, rng: Rng) -> str:
    n = 8000
    rows = [",".join(f"g{j}" for j in range(n)) + ",kind"]
    rows += [",".join(map(str, row)) + ",a" for row in rng.integers(0, 1000, size=(6, n)).tolist()]
    return _text("\n".join(rows), "wide.csv", folder, rng)


def _long(folder: Path, rng: Rng) -> str:
    rows = rng.normal(size=(30_000, 2)).round(4)
    return _text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows.tolist()), "long.csv", folder, rng)


def _quotes(folder: Path, rng: Rng) -> str:
    return _text('a,b\n"1,2\n3,4\n' + "5,6\n" * 1000, "t.csv", folder, rng)


def _encoded(encoding: str, folder: Path, rng: Rng) -> str:
    lines = text().replace("c0", "Größe").replace("c1", "naïve")
    return _text(lines.encode(encoding), "t.csv", folder, rng)


def _bomb(pack: Callable[[bytes], bytes], ending: str, folder: Path, rng: Rng) -> str:
    # members of gzip, bzip2 and xz may follow each other
    content = pack(b"a,b\n") + pack(b"1,2\n" * 500_000) * 240
    return _text(content, f"t.csv{ending}", folder, rng)


def _one_long_line(folder: Path, rng: Rng) -> str:
    return _text(b"a,b\n1,2\n" + b"7" * 3_000_000 + b",1\n", "t.csv", folder, rng)


# Arrays.


def _npy_header(shape: tuple[int, ...], descr: str = "<f8") -> bytes:
    file = io.BytesIO()
    head = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, head)
    return file.getvalue()


def _lying_npy(folder: Path, rng: Rng) -> str:
    shapes = [(10**9, 10**9), (0, 10**12), (10**12, 0), (-3, 4), (2**62, 4), (5, 10**6)]
    shape = shapes[int(rng.integers(len(shapes)))]
    descr = str(rng.choice(["<f8", "|V100000000", "<U500000", "|O", "<c16", "<M8[s]", "|b1"]))
    return _text(_npy_header(shape, descr) + bytes(1000), "t.npy", folder, rng)


@cache
def _npz_bomb_content(is_beside: bool) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        if is_beside:
            archive.writestr("X.npy", saved(lambda p: np.save(p, numbers()), "t.npy"))
        with archive.open("bomb.npy", "w", force_zip64=True) as member:
            member.write(_npy_header((300, 10**6)))
            for _ in range(300):
                member.write(bytes(8 * 10**6))
    return file.getvalue()


def _npz_bomb(folder: Path, rng: Rng) -> str:
    """An array of 2.4 GB in a few megabytes, perhaps beside a sound table."""
    return _text(_npz_bomb_content(bool(rng.random() < 0.5)), "t.npz", folder, rng)


def _sparse_npz(folder: Path, rng: Rng) -> str:
    """A sparse matrix whose arrays contradict each other."""
    kind = str(rng.choice(["csr", "csc", "coo", "bsr", "dia"]))
    X = sparse().asformat(kind)
    keys = {"coo": ("row", "col"), "dia": ("offsets",)}.get(kind, ("indices", "indptr"))
    parts = {"data": X.data, "shape": np.array(X.shape), "format": np.array(kind.encode())}
    parts |= {key: np.array(getattr(X, key)) for key in keys}
    key = str(rng.choice([*keys, *keys, "shape", "data"]))
    part = parts[key]
    extreme = int(rng.choice([-1, 2**31 - 1, 10**9, 50, 3, 0]))
    change = int(rng.integers(4))
    if change == 0 and part.size:
        part = part.astype(np.int64) if key != "data" else part
        part.reshape(-1)[int(rng.integers(part.size))] = extreme
    elif change == 1:
        part = part[: max(len(part) - 3, 0)]
    elif change == 2:
        part = part[::-1]
    else:
        part = np.concatenate([part, part[:2]])
    np.savez(folder / "t.npz", **{**parts, key: part})
    return "t.npz"


def _pickle(folder: Path, rng: Rng) -> str:
    class Touch:
        def __reduce__(self) -> Any:
            return os.system, ("touch pwned",)

    array = np.array([[Touch(), 1.0], [2.0, 3.0]], dtype=object)
    name = str(rng.choice(["t.npy", "t.npz"]))
    np.save(folder / name, array, allow_pickle=True) if name == "t.npy" else np.savez(
        folder / name, X=array
    )
    return name


# Matrix Market.


def _mtx_sizes(folder: Path, rng: Rng) -> str:
    sizes = ["20 1000000000 3", "1000000000 4 3", "20 4 1000000000", "-1 4 3", "20 4", "a b c",
             "99999999999999999999 4 3", "2000000 2000000 3", "0 0 0", "20 4 3 9"]  # fmt: skip
    kind = str(rng.choice(["coordinate", "array", "COORDINATE"]))
    field = str(rng.choice(["real", "integer", "complex", "pattern", "words"]))
    symmetry = str(rng.choice(["general", "symmetric", "skew-symmetric", "hermitian"]))
    entries = "1 1 1.5\n2 2 2\n3 3 -1\n" if rng.random() < 0.7 else "9999999999 1 1\n0 0 1\n1 1 1\n"
    size = sizes[int(rng.integers(len(sizes)))]
    head = f"%%MatrixMarket matrix {kind} {field} {symmetry}\n% remark\n{size}\n"
    return _text(head + entries, "t.mtx", folder, rng)


# MAT files.


def _mat5_numbers(folder: Path, rng: Rng) -> str:
    """A MAT file of version 5 with one of its lengths, types or shapes changed."""
    arrays = [{"X": numbers()}, {"X": sp.csc_array(sparse())},
              {"X": numbers(), "feature_names": np.array(NAMES, dtype=object)}]  # fmt: skip
    array = arrays[int(rng.integers(len(arrays)))]
    content = bytearray(saved(lambda p: scipy.io.savemat(p, array), "t.mat"))
    for _ in range(int(rng.integers(1, 3))):
        at = 128 + 4 * int(rng.integers((len(content) - 128) // 4))
        extreme = int(rng.choice([0, 1, 5, 2**31 - 1, 2**32 - 1, 10**6, 1 << 16, 14]))
        content[at : at + 4] = struct.pack("<I", extreme)
    if rng.random() < 0.5:
        packed = zlib.compress(bytes(content[128:]))
        content[128:] = struct.pack("<II", 15, len(packed)) + packed
    return _text(bytes(content), "t.mat", folder, rng)


@cache
def _mat5_bomb_content(m: int, n: int) -> bytes:
    content = saved(lambda p: scipy.io.savemat(p, {"X": numbers()}), "t.mat")
    # flags, 16 bytes; shape, 16 bytes; name in short form, 8 bytes; then the values
    described = content[136:160] + struct.pack("<ii", m, n) + content[168:176]
    body = described + struct.pack("<II", 9, 8 * m * n % 2**32)
    pack = zlib.compressobj(1)
    packed = pack.compress(struct.pack("<II", 14, (len(body) + 8 * m * n) % 2**32) + body)
    for _ in range(8 * m * n // 10**7):
        packed += pack.compress(bytes(10**7))
    packed += pack.flush()
    return content[:128] + struct.pack("<II", 15, len(packed)) + packed


def _mat5_bomb(folder: Path, rng: Rng) -> str:
    """A matrix of more than 2 GB in a few megabytes."""
    return _text(_mat5_bomb_content(2700, 100_000), "t.mat", folder, rng)


def _hdf5(what: str, folder: Path, rng: Rng) -> str:
    """An HDF5 file that reaches for ``secret.bin``, or is larger than it looks."""
    with h5py.File(folder / "t.mat", "w", userblock_size=512) as file:
        if what == "external":
            secret = [(str(folder / "secret.bin"), 0, 8 * ROWS * COLUMNS)]
            file.create_dataset("X", (COLUMNS, ROWS), "f8", external=secret)
        elif what == "link":
            _h5_secret(folder)
            file["X"] = h5py.ExternalLink(str(folder / "other.h5"), "/X")
        elif what == "soft":
            file["X"] = h5py.SoftLink("/X" if rng.random() < 0.5 else "/nowhere")
        elif what == "virtual":
            _h5_secret(folder)
            layout = h5py.VirtualLayout((COLUMNS, ROWS), "f8")
            layout[:] = h5py.VirtualSource(str(folder / "other.h5"), "X", (COLUMNS, ROWS))
            file.create_virtual_dataset("X", layout)
        elif what == "cycle":
            group = file.create_group("g")
            group["self"] = group
            file["X"] = numbers().T
        else:
            file.create_dataset("X", (10**6, 10**6), "f8", chunks=(1000, 1000), fillvalue=1.0)
    return "t.mat"


def _h5_secret(folder: Path) -> None:
    with h5py.File(folder / "other.h5", "w") as file:
        file["X"] = np.full((COLUMNS, ROWS), SECRET)


def _mat73_sparse(folder: Path, rng: Rng) -> str:
    X = sp.csc_array(sparse())
    parts = {"data": X.data, "ir": X.indices.astype(np.int64), "jc": X.indptr.astype(np.int64)}
    key = str(rng.choice(["ir", "jc"]))
    parts[key][int(rng.integers(len(parts[key])))] = int(rng.choice([-1, 10**9, 2**40, 7]))
    with h5py.File(folder / "t.mat", "w") as file:
        group = file.create_group("X")
        group.attrs["MATLAB_sparse"] = np.uint64(rng.choice([ROWS, 3, 2**40, 0]))
        for name, part in parts.items():
            group[name] = part
    return "t.mat"


def _h5ad_indices(folder: Path, rng: Rng) -> str:
    (folder / "t.h5ad").write_bytes(sound("t.h5ad"))
    with h5py.File(folder / "t.h5ad", "r+") as file:
        key = str(rng.choice(["indices", "indptr"]))
        part = file["X"][key]
        part[int(rng.integers(len(part)))] = int(rng.choice([-1, 10**8, 99]))
        if rng.random() < 0.3:
            file["X"].attrs["shape"] = np.array([ROWS, 10**9])
    return "t.h5ad"


# Tables of columns.


@cache
def _arrow_bomb_content(ending: str) -> bytes:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    n = 1_000_000
    columns = pa.table({f"x{j}": pa.array(np.zeros(n)) for j in range(300)})
    file = io.BytesIO()
    if ending == "feather":
        pyarrow.feather.write_feather(columns, file, compression="zstd")
    else:
        pyarrow.parquet.write_table(columns, file, compression="zstd", use_dictionary=False)
    return file.getvalue()


def _arrow_bomb(ending: str, folder: Path, rng: Rng) -> str:
    return _text(_arrow_bomb_content(ending), f"t.{ending}", folder, rng)


def _odd_columns(folder: Path, rng: Rng) -> str:
    import pyarrow as pa
    import pyarrow.parquet

    odd = {
        "list": pa.array([[1, 2]] * ROWS),
        "struct": pa.array([{"a": 1}] * ROWS),
        "date": pa.array(pd.date_range("2020", periods=ROWS)),
        "null": pa.nulls(ROWS),
        "binary": pa.array([b"\xff\xfe"] * ROWS),
        "duration": pa.array(np.arange(ROWS), pa.duration("s")),
        "decimal": pa.array(range(ROWS)).cast(pa.decimal128(38, 2)),
        "inf": pa.array([np.inf] * ROWS),
        "huge": pa.array([1e300] * ROWS),
        "tiny": pa.array([1e-320] * ROWS),
        "text": pa.array(["1", "x"] * (ROWS // 2)),
        "dictionary": pa.array(["a", "b"] * (ROWS // 2)).dictionary_encode(),
        "uint64": pa.array([2**64 - 1] * ROWS, pa.uint64()),
    }
    key = str(rng.choice(list(odd)))
    columns = {name: pa.array(numbers()[:, j]) for j, name in enumerate(NAMES)}
    pyarrow.parquet.write_table(pa.table({**columns, key: odd[key]}), folder / "t.parquet")
    return "t.parquet"


def _twins(folder: Path, rng: Rng) -> str:
    """Two columns of one name."""
    import pyarrow as pa
    import pyarrow.feather

    table = pa.table([pa.array(numbers()[:, j]) for j in range(3)], names=["a", "b", "a"])
    pyarrow.feather.write_feather(table, folder / "t.feather", version=2)
    return "t.feather"


# JSON and workbooks.


def _odd_json(folder: Path, rng: Rng) -> str:
    texts = ["[" * 200_000, '[{"a": 1, "a": 2}]', '{"a": {"b": 1}}', "[1, 2]", "null", '"x"',
             '[{"a": NaN, "b": 1}, {"a": 1e999, "b": 2}]', '[{"a": [1]}]', "{}", "[]", "[{}]",
             '[{"a": 1' + "0" * 400 + '}, {"a": 1}]', '[{"a": true}, {"a": 1.5}, {"a": "x"}]',
             json.dumps([{f"k{i}": i} for i in range(3000)])]  # fmt: skip
    name = str(rng.choice(["t.json", "t.jsonl"]))
    return _text(texts[int(rng.integers(len(texts)))], name, folder, rng)


def _json_names(folder: Path, rng: Rng) -> str:
    """Separators of lines, surrogates and depth, where names and values stand."""
    odd = ["a\u2028b", "a\u0085b", "\ud800", "chr:x:1", "[red]", "b\x1b[2JY", "\u202eb"]
    name, value = (str(odd[int(rng.integers(len(odd)))]) for _ in range(2))
    lines = [json.dumps({name: i, "b": value if i % 2 else "c", "x": i * i}) for i in range(6)]
    if rng.random() < 0.3:
        depth = int(rng.integers(2, 100_000))
        lines[3] = '{"x": ' + "[" * depth + "]" * depth + "}"
    return _text("\n".join(lines), str(rng.choice(["t.json", "t.jsonl"])), folder, rng)


def _dictionary_bomb(folder: Path, rng: Rng) -> str:
    """One long text that every row repeats: some bytes in the file, gigabytes written out."""
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    codes = pa.array(np.zeros(20_000, dtype=np.int32))
    texts = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 10**6]))
    table = pa.table({"a": texts, "b": np.arange(20_000.0)})
    if rng.random() < 0.5:
        pyarrow.parquet.write_table(table, folder / "t.parquet")
        return "t.parquet"
    pyarrow.feather.write_feather(table, folder / "t.feather")
    return "t.feather"


def _database(folder: Path, rng: Rng) -> str:
    """A table of SQLite with values of several types, some bytes of the file changed."""
    path = folder / "t.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table t (a, b, c)")
        odd = [1, 2.5, None, "x", b"\0\xff", 2**62, 1e308]
        rows = [[odd[int(k)] for k in rng.integers(0, len(odd), 3)] for _ in range(ROWS)]
        connection.executemany("insert into t values (?, ?, ?)", rows)
        connection.commit()
    if rng.random() < 0.7:
        path.write_bytes(flipped(path.read_bytes(), rng))
    return path.name


def _gml_lists(folder: Path, rng: Rng) -> str:
    """Attributes that occur twice, which networkx makes lists, or are tables themselves."""
    odd = ["name 1 name 2", "label [ a 1 ]", "weight 1 weight 2", "x [ y [ z 1 ] ]"]
    extra = [str(odd[int(k)]) for k in rng.integers(0, len(odd), 2)]
    nodes = "".join(f"node [ id {i} {extra[0]} ]\n" for i in range(VERTICES))
    links = "".join(f"edge [ source {a} target {b} {extra[1]} ]\n" for a, b in edges())
    return _text(f"graph [\n{nodes}{links}]\n", "t.gml", folder, rng)


def _workbook(folder: Path, rng: Rng) -> str:
    book = openpyxl.load_workbook(io.BytesIO(sound("t.xlsx")))
    sheet = book.active
    change = int(rng.integers(5))
    if change == 0:
        sheet["XFD1048576"] = 1
    elif change == 1:
        sheet["B3"] = "=1/0"
    elif change == 2:
        sheet["B3"] = "text"
    elif change == 3:
        book.create_sheet("second").append([1, 2])
    else:
        sheet.delete_rows(1, 100)
    book.save(folder / "t.xlsx")
    return "t.xlsx"


def _workbook_bomb(folder: Path, rng: Rng) -> str:
    with zipfile.ZipFile(io.BytesIO(sound("t.xlsx"))) as old:
        members = {info.filename: old.read(info) for info in old.infolist()}
    sheet = "xl/worksheets/sheet1.xml"
    if rng.random() < 0.5:
        members[sheet] = members[sheet].replace(
            b"<sheetData>", b"<sheetData>" + b"<row><c><v>1</v></c></row>" * 8_000_000
        )
    else:
        entities = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
            b'<!ENTITY b%d "%s">' % (i, (b"&b%d;" % (i - 1) if i else b"&a;") * 10)
            for i in range(9)
        )
        members[sheet] = entities + b"]>" + members[sheet].partition(b"?>")[2]
    return _text(_zip(members), "t.xlsx", folder, rng)


# Graphs.


def _entities(folder: Path, rng: Rng) -> str:
    levels = "".join(f'<!ENTITY e{i} "{(f"&e{i - 1};" if i else "ha") * 10}">' for i in range(10))
    outside = f'<!ENTITY x SYSTEM "file://{folder}/secret.bin">'
    entity = "&e9;" if rng.random() < 0.5 else "&x;"
    plain = sound("g.graphml").decode().replace("utf-8", "UTF-8")
    head, _, rest = plain.partition("?>")
    body = rest.replace('id="0"', f'id="{entity}"') if entity == "&e9;" else rest
    encoding = str(rng.choice(["utf-8", "utf-16"]))
    whole = f"{head}?><!DOCTYPE graphml [{levels}{outside}]>{body}".replace("UTF-8", encoding)
    return _text(whole.encode(encoding), "g.graphml", folder, rng)


def _deep_xml(folder: Path, rng: Rng) -> str:
    n = 200_000
    return _text("<graphml>" + "<graph>" * n + "</graph>" * n + "</graphml>", "g.graphml", folder,
                 rng)  # fmt: skip


def _edge_cells(folder: Path, rng: Rng) -> str:
    rows = [[str(i), str(j), "1"] for i, j in edges()]
    odd = ["", "inf", "nan", "-1", "1e999", "x" * 10_000, "é", '"', "1,5", "007", "=1+1", "\t"]
    column = int(rng.integers(3))
    rows[int(rng.integers(len(rows)))][column] = odd[int(rng.integers(len(odd)))]
    return _text(_lines(rows), "g.csv", folder, rng)


def _edge_arrays(folder: Path, rng: Rng) -> str:
    ends = np.array(edges(), dtype=float)
    ends[0, 0] = float(rng.choice([np.inf, np.nan, -1.0, 0.5, 1e15, 1e300]))
    extra = {"n_nodes": np.array(rng.choice([12, -5, 10**12]))} if rng.random() < 0.5 else {}
    np.savez(folder / "g.npz", edges=ends, **extra)
    return "g.npz"


def _odd_matrix(folder: Path, rng: Rng) -> str:
    A = adjacency()
    A[0, 1] = A[1, 0] = float(rng.choice([np.nan, np.inf, -1.0, 1e308, 1e-320]))
    np.save(folder / "g.npy", A if rng.random() < 0.8 else A[:, :5])
    return "g.npy"


def _header_or_edge(folder: Path, rng: Rng) -> str:
    return _text(b"home,away\n" + b"ann,bob\nbob,eve\neve,ann\ndan,eve\n", "g.csv", folder, rng)


def _many_vertices(folder: Path, rng: Rng) -> str:
    tree = (f"v{i} v{rng.integers(i)}\n" for i in range(1, 50_000))
    return _text("".join(tree), "g.txt", folder, rng)


def _leading_zeros(folder: Path, rng: Rng) -> str:
    rows = [(f"0{i}" if i % 2 else i, j) for i, j in edges()]
    return _text(_lines(rows), "g.csv", folder, rng)


def _symlink(folder: Path, rng: Rng) -> str:
    (folder / "out.csv").symlink_to(folder / "secret.bin")
    (folder / ".out.csv.part").symlink_to(folder / "secret.bin")
    return _text(text(), "t.csv", folder, rng)


def _archive(folder: Path, rng: Rng) -> str:
    members = [{}, {"a.csv": b"a\n1\n", "b.csv": b"a\n1\n"}, {"../../evil.csv": text().encode()},
               {"a.exe": b"x"}, {"dir/": b""}]  # fmt: skip
    return _text(_zip(members[int(rng.integers(len(members)))]), "t.zip", folder, rng)


def _random_bytes(folder: Path, rng: Rng) -> str:
    name = str(rng.choice([*TABLES, *GRAPHS]))
    return _text(rng.bytes(int(rng.integers(1, 5000))), name, folder, rng)


CELLS = {
    "cell NaN": "nan", "cell inf": "inf", "cell -inf": "-Infinity", "cell huge": "1e308",
    "cell beyond": "1e400", "cell text": "seven", "cell empty": "", "cell quote": '"',
    "cell date": "2020-01-01", "cell control": "1\x1b[2J", "cell hexadecimal": "0x10",
    "cell formula": "=cmd|' /C calc'!A0", "cell zeros": "0" * 5000,
}  # fmt: skip

KINDS = [
    Kind("sound table", partial(_sound, TABLES), must="read"),
    Kind("sound graph", partial(_sound, GRAPHS), is_graph=True, must="read"),
    *(Kind(f"{name} table", partial(_damaged, f, TABLES)) for name, f in DAMAGE.items()),
    *(Kind(f"{name} graph", partial(_damaged, f, GRAPHS), True) for name, f in DAMAGE.items()),
    Kind("another format", _renamed),
    Kind("random bytes", _random_bytes),
    *(Kind(name, partial(_changed_cell, cell)) for name, cell in CELLS.items()),
    Kind("wide text", _wide),
    Kind("wide text with a text column", _wide_with_text, must="refuse"),
    Kind("long text", _long, must="read", is_heavy=True),
    Kind("open quote", _quotes),
    Kind("line of three megabytes", _one_long_line, is_heavy=True),
    Kind("only a header", partial(_text, "a,b,c\n", "t.csv"), must="refuse"),
    Kind("one row", partial(_text, "a,b,c\n1,2,3\n", "t.csv"), must="refuse"),
    Kind("twin names", partial(_text, "a,b,a\n1,2,3\n4,5,7\n", "t.csv"), must="read"),
    Kind("no names", partial(_text, ",,\n1,2,3\n4,5,7\n7,1,1\n", "t.csv")),
    Kind("ragged", partial(_text, "a,b\n1,2\n3\n4,5\n", "t.csv"), must="refuse"),
    Kind("blank lines", partial(_text, "\n\n\n", "t.csv"), must="refuse"),
    Kind("constant", partial(_text, "a,b\n" + "1,1\n" * 9, "t.csv")),
    *(
        Kind(f"encoded {encoding}", partial(_encoded, encoding), must=must)
        for encoding, must in {
            "latin-1": "refuse",
            "utf-16": "read",
            "utf-16-le": "refuse",
            "utf-32": "refuse",
            "utf-8-sig": "read",
            "utf-7": "either",
            "cp037": "refuse",
        }.items()
    ),
    Kind(
        "bomb gz",
        partial(_bomb, partial(gzip.compress, compresslevel=1), ".gz"),
        must="refuse",
        is_heavy=True,
    ),
    Kind(
        "bomb bz2",
        partial(_bomb, partial(bz2.compress, compresslevel=1), ".bz2"),
        must="refuse",
        is_heavy=True,
    ),
    Kind(
        "bomb xz",
        partial(_bomb, partial(lzma.compress, preset=0), ".xz"),
        must="refuse",
        is_heavy=True,
    ),
    Kind("archive", _archive),
    Kind("lying NPY", _lying_npy, must="refuse"),
    Kind("bomb NPZ", _npz_bomb, is_heavy=True),
    Kind("contradicting sparse NPZ", _sparse_npz),
    Kind("pickle", _pickle, must="refuse"),
    Kind("sizes of Matrix Market", _mtx_sizes),
    Kind("lengths of MAT 5", _mat5_numbers),
    Kind("bomb MAT 5", _mat5_bomb, must="refuse", is_heavy=True),
    *(
        Kind(f"HDF5 {what}", partial(_hdf5, what), must="read" if what == "cycle" else "refuse")
        for what in ("external", "link", "soft", "virtual", "cycle", "hollow")
    ),
    Kind("sparse MAT 7.3", _mat73_sparse),
    Kind("bomb Feather", partial(_arrow_bomb, "feather"), must="refuse", is_heavy=True),
    Kind("bomb Parquet", partial(_arrow_bomb, "parquet"), must="refuse", is_heavy=True),
    Kind("odd column", _odd_columns),
    Kind("twin names Feather", _twins, must="refuse"),
    Kind("odd JSON", _odd_json),
    Kind("names and values of JSON", _json_names),
    Kind("dictionary of long texts", _dictionary_bomb, must="refuse"),
    Kind("odd database", _database),
    Kind("GML with lists", _gml_lists, True),
    Kind("XML entities", _entities, True, must="refuse"),
    Kind("deep XML", _deep_xml, True),
    Kind("odd edge", _edge_cells, True),
    Kind("odd edge array", _edge_arrays, True),
    Kind("odd adjacency", _odd_matrix, True),
    Kind("header or edge", _header_or_edge, True),
    Kind("many vertices", _many_vertices, True, is_heavy=True),
    Kind("leading zeros", _leading_zeros, True),
    Kind("output is a link", _symlink, must="read"),
    *(Kind(name, make, is_graph) for name, (make, is_graph) in CHANGED.items()),
]
if anndata is not None:
    KINDS.append(Kind("sparse H5AD", _h5ad_indices))
if openpyxl is not None:
    KINDS += [Kind("odd workbook", _workbook), Kind("bomb workbook", _workbook_bomb)]
