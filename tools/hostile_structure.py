"""Files whose structure is changed and not their bytes: trees, attributes, schemas, metadata.

Each function of `CHANGED` takes a file that a program wrote (Excel's format, HDF5, Parquet, GML,
GraphML, JSON; MATLAB's and Arrow's own files that installed packages hold), takes it apart, changes
a few places, and writes it again, so that most of it is sound.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import io
import json
import tempfile
import warnings
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import h5py
import networkx as nx
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

Rng = np.random.Generator

#: What takes the place of a name, a number or a text.
ODD: tuple[str, ...] = (
    "", " ", "0", "-1", "1", "1e999", "nan", "9" * 40, "2147483648", "A1", "XFD1048576", "true",
    "s", "inlineStr", "d", "e", "double", "int", "string", "../../secret.bin", "&", "<", "]]>", "[",
    "chr:x:1", "[red]", "\u202eb", "a\u2028b", "caf\u00e9", "x" * 10_000, "#REF!", "=1+1",
)  # fmt: skip


def pick(rng: Rng, values: Any) -> Any:
    """One of the values, whatever their type."""
    values = list(values)
    return values[int(rng.integers(len(values)))]


def wine(n: int = 24) -> pd.DataFrame:
    """Rows of a real table of numbers, with a column of text that is read as 0/1."""
    frame = load_wine(as_frame=True).frame.iloc[:: 178 // n].head(n).reset_index(drop=True)
    return frame.iloc[:, [0, 1, 4, 9, 10]].assign(region=["Alba", "Asti"] * (n // 2))


def _saved(write: Callable[[Path], Any], ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / f"seed.{ending}"
        write(path)
        return path.read_bytes()


@cache
def shipped(package: str, pattern: str) -> list[Path]:
    """Files of another program that an installed package holds for its own tests."""
    spec = find_spec(package)
    folder = Path(spec.origin).parent if spec is not None and spec.origin else Path("/nowhere")
    return sorted(folder.glob(pattern))


# Trees of XML: GraphML and the parts of a workbook.


def changed_tree(content: bytes, rng: Rng) -> bytes:
    """One to four changes to the elements and attributes of XML."""
    root = ET.fromstring(content)
    for _ in range(int(rng.integers(1, 5))):
        parents = [e for e in root.iter() if len(e)]
        if not parents:
            break
        parent = pick(rng, parents)
        child = parent[int(rng.integers(len(parent)))]
        CHANGES_OF_TREES[int(rng.integers(len(CHANGES_OF_TREES)))](root, parent, child, rng)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)


def _removed(root: ET.Element, parent: ET.Element, child: ET.Element, rng: Rng) -> None:
    parent.remove(child)


def _repeated(root: ET.Element, parent: ET.Element, child: ET.Element, rng: Rng) -> None:
    parent.extend([child] * int(rng.integers(1, 50)))


def _moved(root: ET.Element, parent: ET.Element, child: ET.Element, rng: Rng) -> None:
    pick(rng, [root, *parent]).append(ET.fromstring(ET.tostring(child)))


def _nested(root: ET.Element, parent: ET.Element, child: ET.Element, rng: Rng) -> None:
    """The element in itself, up to 400 deep."""
    for _ in range(int(rng.integers(1, 400))):
        child.append(inner := ET.Element(child.tag, dict(child.attrib)))
        child = inner


def _renamed(root: ET.Element, parent: ET.Element, child: ET.Element, rng: Rng) -> None:
    child.tag = pick(rng, [e.tag for e in root.iter()])


def _with_text(root: ET.Element, parent: ET.Element, child: ET.Element, rng: Rng) -> None:
    child.text = pick(rng, ODD)


def _with_attribute(root: ET.Element, parent: ET.Element, child: ET.Element, rng: Rng) -> None:
    """An attribute changed, removed or taken from another element."""
    given = [(k, v) for e in root.iter() for k, v in e.attrib.items()]
    name, value = pick(rng, given) if given else ("id", "0")
    if child.attrib and rng.random() < 0.8:
        name = pick(rng, child.attrib)
    if name in child.attrib and rng.random() < 0.2:
        del child.attrib[name]
    else:
        child.set(name, pick(rng, ODD) if rng.random() < 0.6 else value)


CHANGES_OF_TREES = (
    _removed,
    _repeated,
    _moved,
    _nested,
    _renamed,
    _with_text,
    _with_attribute,
    _with_attribute,
    _with_attribute,
)


@cache
def _graphml() -> bytes:
    return _saved(lambda p: nx.write_graphml(nx.karate_club_graph(), p), "graphml")


def graphml(folder: Path, rng: Rng) -> str:
    (folder / "g.graphml").write_bytes(changed_tree(_graphml(), rng))
    return "g.graphml"


def _write_book(path: Path) -> None:
    import openpyxl

    frame = wine()
    with pd.ExcelWriter(path) as book:
        frame.to_excel(book, index=False, sheet_name="wine")
        pd.DataFrame().to_excel(book, index=False, sheet_name="notes")
    book = openpyxl.load_workbook(path)
    sheet = book["wine"]
    sheet["G1"], sheet["G2"], sheet["G3"] = "when", datetime.datetime(2026, 1, 2), "=A2*2"
    sheet.merge_cells("G4:G6")
    book.save(path)


@cache
def _book() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(_saved(_write_book, "xlsx"))) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def workbook(folder: Path, rng: Rng) -> str:
    """A part of a workbook changed, lost, renamed, or two of them exchanged."""
    members = dict(_book())
    for _ in range(int(rng.integers(1, 3))):
        name = pick(rng, [n for n in members if "sheet" in n] if rng.random() < 0.6 else members)
        what = rng.random()
        if what < 0.75:
            members[name] = changed_tree(members[name], rng)
        elif what < 0.83:
            del members[name]
        elif what < 0.91:
            members[pick(rng, [name.upper(), f"../{name}", f"xl/{name}"])] = members.pop(name)
        else:
            members[name] = members[pick(rng, members)]
    with zipfile.ZipFile(folder / "t.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return "t.xlsx"


# GML: lines of a key and a value, and lists in brackets.


@cache
def _gml() -> list[str]:
    return list(nx.generate_gml(nx.les_miserables_graph()))


def gml(folder: Path, rng: Rng) -> str:
    lines = [line for text in _gml() for line in text.split("\n")]
    values = [i for i, line in enumerate(lines) if line.strip()[-1:] not in "[]"]
    for _ in range(int(rng.integers(1, 4))):
        at = pick(rng, values)
        key, _, value = lines[at].strip().partition(" ")
        if rng.random() < 0.1:  # what opens, closes or ends a list anywhere
            lines[at] = pick(rng, ["[", "]", f"{key} [ " * int(rng.integers(1, 3000))])
            continue
        lines[at] = pick(
            rng,
            [
                *("", lines[pick(rng, values)], f"{lines[at]}\n" * int(rng.integers(2, 30))),
                *(f"{key} {pick(rng, ODD)}", f'{key} "{pick(rng, ODD)}"', f"{key} {value}.5"),
                *(f"{key} [ a {value} ]", f"{key} [ a {value} ]\n{key} [ b 1 ]", f"{key} NAN"),
                *(f'{key} "&#{pick(rng, [0, 27, 8232, 55296, 10**7])};"', f"{key} +INF"),
            ],
        )
    (folder / "g.gml").write_text("\n".join(lines), encoding="utf-8")
    return "g.gml"


# JSON: objects as pairs, so that names may occur twice; text that is JSON already as `Raw`.


class Raw(str):
    """JSON text."""

    __slots__ = ()


def _text_of(value: Any) -> str:
    if isinstance(value, Raw):
        return value
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{json.dumps(k)}: {_text_of(v)}" for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text_of, value)) + "]"
    return json.dumps(value)


def _odd_value(value: Any, rng: Rng) -> Any:
    depth = int(rng.integers(1, 5000))
    return pick(
        rng,
        [
            *(pick(rng, ODD), None, True, [], (), [value], [value] * 3, Raw("NaN"), Raw("-0")),
            *(Raw("1e400"), Raw("1" + "0" * 400), Raw("[" * depth + "]" * depth), "\ud800"),
            *((("x", value),), (("x", value),) * 2, Raw('{"a":' * depth + "1" + "}" * depth)),
        ],
    )  # fmt: skip


def records(folder: Path, rng: Rng) -> str:
    """Records of a table with values, names and rows changed; as an array, lines, or by column."""
    frame = wine().astype(object)
    frame = frame.where(frame.notna(), None)
    rows = [list(row.items()) for row in frame.to_dict("records")]
    for _ in range(int(rng.integers(1, 6))):
        if row := pick(rng, rows):
            _change_record(row, rng)
    whole: list[Any] = [tuple(row) for row in rows]
    if rng.random() < 0.3:
        whole[int(rng.integers(len(whole)))] = _odd_value(1.5, rng)
    columns = [(name, [dict(row).get(name) for row in rows]) for name in frame]
    columns[2] = (columns[2][0], _odd_value(columns[2][1], rng))
    text = pick(
        rng,
        [
            *("\n".join(map(_text_of, whole)), _text_of(whole), _text_of(tuple(columns))),
            _text_of((("data", whole), ("meta", _odd_value(1, rng)))),
        ],
    )
    name = str(pick(rng, ["t.json", "t.jsonl"]))
    (folder / name).write_text(text, encoding="utf-8", errors="surrogatepass")
    return name


def _change_record(row: list[tuple[str, Any]], rng: Rng) -> None:
    j = int(rng.integers(len(row)))
    name, value = row[j]
    what = int(rng.integers(5))
    if what == 0:
        del row[j]
    elif what == 1:
        row.append((pick(rng, [name, pick(rng, ODD)]), value))
    elif what == 2:
        row[j] = (pick(rng, ODD), value)
    else:
        row[j] = (name, _odd_value(value, rng))


# HDF5: attributes, kinds of objects, types and shapes.


def _write_mat73(path: Path) -> None:
    frame = wine().iloc[:, :4].fillna(0)
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_dataset("X", data=frame.to_numpy().T, chunks=(2, 8), compression="gzip")
        file["X"].attrs["MATLAB_class"] = np.bytes_("double")
        names = file.create_group("#refs#")
        for i, name in enumerate(frame):
            names[str(i)] = np.frombuffer(name.encode("utf-16-le"), np.uint16)[:, None]
        file["feature_names"] = np.array([names[k].ref for k in names], dtype=h5py.ref_dtype)
        file["feature_names"].attrs["MATLAB_class"] = np.bytes_("cell")
        sparse = file.create_group("S")
        sparse.attrs["MATLAB_sparse"] = np.uint64(3)
        sparse["data"], sparse["ir"], sparse["jc"] = np.ones(3), np.arange(3), np.arange(4)


def _write_h5ad(path: Path) -> None:
    import anndata

    frame = wine()
    counts = frame.iloc[:, :4].fillna(0)
    counts.index = counts.index.astype(str)
    obs = pd.DataFrame({"region": pd.Categorical(frame["region"])}, index=counts.index)
    data = anndata.AnnData(counts, obs)
    data.layers["raw"] = data.X.copy()
    data.write_h5ad(path)


@cache
def _h5_seeds() -> dict[str, bytes]:
    seeds = {"t.mat": _saved(_write_mat73, "mat")}
    if find_spec("anndata") is not None:
        seeds["t.h5ad"] = _saved(_write_h5ad, "h5ad")
    return seeds


def hdf5(folder: Path, rng: Rng) -> str:
    name = pick(rng, _h5_seeds())
    (folder / name).write_bytes(_h5_seeds()[name])
    with h5py.File(folder / name, "r+") as file:
        for _ in range(int(rng.integers(1, 5))):
            paths: list[str] = []
            file.visit(paths.append)
            if paths:
                _change_node(file, pick(rng, paths), rng)
    return name


def _change_node(file: h5py.File, path: str, rng: Rng) -> None:
    node, what = file[path], rng.random()
    if what < 0.45:
        _change_attribute(node if rng.random() < 0.9 else file, rng)
        return
    whole = node[()] if isinstance(node, h5py.Dataset) else None
    del file[path]
    if what < 0.55:
        return
    if what < 0.65:
        file[f"{path}2"] = np.arange(3)
    elif what < 0.75:
        file.create_group(path).attrs["encoding-type"] = pick(rng, ["array", "csr_matrix", "dict"])
    elif what < 0.8:
        file[path] = file["/"]
    else:
        file.create_dataset(path, **_odd_dataset(whole, rng))


def _odd_dataset(whole: Any, rng: Rng) -> dict[str, Any]:
    numbers = np.asarray(whole) if whole is not None else np.arange(6.0)
    numbers = numbers if numbers.dtype.kind in "iuf" else np.arange(6.0)
    return pick(
        rng,
        [
            {"data": h5py.Empty("f8")},
            {"data": numbers.astype(pick(rng, ["f2", "i1", "u8", "c16", ">f8", "S3"]))},
            {"data": numbers[..., None]},
            {"data": numbers[:0]},
            {"data": np.zeros(4, dtype=[("a", "f8"), ("b", "i4")])},
            {"data": np.array(["a", "\u202eb"], dtype=object), "dtype": h5py.string_dtype()},
            {"data": np.array([b"\xff\xfe", b"x"]), "dtype": h5py.string_dtype("ascii", 2)},
            {"shape": (2**40,), "dtype": "f8", "chunks": (1000,)},
            {"shape": (0, 5), "dtype": "f8", "maxshape": (None, 5)},
            {"data": np.array([np.arange(2), np.arange(3)], dtype=object),
             "dtype": h5py.vlen_dtype("f8")},
            {"data": np.full(5, np.inf)},
        ],
    )  # fmt: skip


def _change_attribute(node: Any, rng: Rng) -> None:
    names = [*node.attrs, "MATLAB_class", "MATLAB_sparse", "encoding-type", "shape", "_index"]
    name = pick(rng, names)
    if name in node.attrs and rng.random() < 0.2:
        del node.attrs[name]
        return
    values = [0, -1, 2**40, 1.5, np.nan, "", "csr_matrix", "csc_matrix", "array", "double", "cell",
              "char", "logical", "\u202eb", np.bytes_(b"\xff\xfe"), np.arange(3), np.zeros((2, 2)),
              np.array([2**40, 2]), h5py.Empty("f8"), True, np.array(["a", "b"], dtype=object),
              node.ref]  # fmt: skip
    node.attrs[name] = pick(rng, values)


# Arrow: schemas, dictionaries, metadata and footers of Parquet and Feather.


def _odd_arrays(n: int) -> dict[str, Any]:
    import pyarrow as pa

    codes = pa.array([i % 2 for i in range(n)], pa.int8())
    return {
        "codes": pa.DictionaryArray.from_arrays(codes, pa.array(["a", None])),
        "ordered": pa.DictionaryArray.from_arrays(codes, pa.array([2.0, 1.0]), ordered=True),
        "same": pa.DictionaryArray.from_arrays(codes, pa.array(["a", "a"])),
        "empty": pa.DictionaryArray.from_arrays(pa.nulls(n, pa.int8()), pa.array([], pa.string())),
        "days": pa.DictionaryArray.from_arrays(codes, pa.array([1, 2], pa.date32())),
        "lists": pa.array([[{"a": i}] for i in range(n)]),
        "map": pa.array([[("k", i)] for i in range(n)], pa.map_(pa.string(), pa.int64())),
        "struct": pa.array([{"a": {"b": i}} for i in range(n)]),
        "fixed": pa.array([[1.0, 2.0]] * n, pa.list_(pa.float64(), 2)),
        "large": pa.array(["x"] * n, pa.large_string()),
        "view": pa.array(["x" * 20] * n, pa.string_view()),
        "bytes": pa.array([b"\xff"] * n, pa.binary(1)),
        "wide": pa.array([decimal.Decimal(i) for i in range(n)], pa.decimal256(76, 3)),
        "half": pa.array(np.arange(n, dtype=np.float16)),
        "time": pa.array(range(n), pa.time64("ns")),
        "zone": pa.array(range(n), pa.timestamp("ns", tz="Europe/Vienna")),
        "far": pa.array([2**62] * n, pa.timestamp("s")),
        "nan": pa.array([float("nan")] * n),
        "uuid": pa.array([bytes(16)] * n, pa.uuid()) if hasattr(pa, "uuid") else pa.nulls(n),
        "truth": pa.array([True, None] * (n // 2), pa.bool_()),
    }


def _odd_table(rng: Rng) -> Any:
    """A real table with some columns, names and metadata changed."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    seeds = shipped("pyarrow", "tests/data/parquet/*.parquet")
    if seeds and rng.random() < 0.2:
        table = parquet.read_table(pick(rng, seeds)).slice(0, 24)
    else:
        table = pa.Table.from_pandas(wine())
    for _ in range(int(rng.integers(0, 3))):
        name = pick(rng, odd := _odd_arrays(table.num_rows // 2 * 2))
        column = odd[name] if len(odd[name]) == table.num_rows else pa.nulls(table.num_rows)
        table = table.set_column(int(rng.integers(table.num_columns)), name, column)
    if rng.random() < 0.3:
        names = table.column_names
        names[int(rng.integers(len(names)))] = pick(rng, [*ODD, names[0], "__index_level_0__"])
        table = table.rename_columns(names)
    return table.replace_schema_metadata(_odd_metadata(dict(table.schema.metadata or {}), rng))


def _odd_metadata(metadata: dict[bytes, bytes], rng: Rng) -> dict[bytes, bytes]:
    """What pandas notes of its index and types, with values changed."""
    what = rng.random()
    if what < 0.3 or b"pandas" not in metadata:
        return metadata
    if what < 0.4:
        return {b"pandas": pick(rng, [b"", b"{", b"\xff", b"[]", b"null", b'{"columns": 1}'])}
    notes = json.loads(metadata[b"pandas"])
    for _ in range(int(rng.integers(1, 4))):
        node: Any = notes
        while True:
            key = pick(rng, node if isinstance(node, dict) else range(len(node)))
            if not isinstance(node[key], dict | list) or not node[key] or rng.random() < 0.3:
                break
            node = node[key]
        node[key] = pick(rng, [None, 1, -1, [], {}, "x", "float99", "category", "datetimetz", [[]]])
    return metadata | {b"pandas": json.dumps(notes).encode()}


def parquet(folder: Path, rng: Rng) -> str:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    table = _odd_table(rng)
    options = {
        "row_group_size": pick(rng, [1, 3, 1000]),
        "data_page_version": pick(rng, ["1.0", "2.0"]),
        "compression": pick(rng, ["none", "snappy", "gzip", "zstd", "brotli", "lz4"]),
        "use_dictionary": pick(rng, [True, False]),
        "write_statistics": pick(rng, [True, False]),
        "store_schema": pick(rng, [True, False]),
        "data_page_size": pick(rng, [1, 100, None]),
        "version": pick(rng, ["1.0", "2.4", "2.6"]),
    }
    try:
        file = io.BytesIO()
        parquet.write_table(table, file, **options)
    except (pa.ArrowException, ValueError):  # a type that Parquet does not have
        file = io.BytesIO()
        parquet.write_table(pa.Table.from_pandas(wine()), file)
    return _with_footer(file.getvalue(), 4, folder / "t.parquet", rng)


def feather(folder: Path, rng: Rng) -> str:
    import pyarrow as pa

    table, file = _odd_table(rng), io.BytesIO()
    options = pa.ipc.IpcWriteOptions(
        compression=pick(rng, [None, "lz4", "zstd"]),
        emit_dictionary_deltas=bool(rng.random() < 0.5),
        unify_dictionaries=bool(rng.random() < 0.3),
    )
    with pa.ipc.new_file(file, table.schema, options=options) as writer:
        for start in range(0, table.num_rows, step := int(pick(rng, [1, 5, 100]))):
            writer.write_table(table.slice(start, step))
    return _with_footer(file.getvalue(), 6, folder / "t.feather", rng)


def _with_footer(content: bytes, magic: int, path: Path, rng: Rng) -> str:
    """The file, half of the time with numbers of its footer, or of its stored schema, changed."""
    if rng.random() < 0.5:
        end = len(content) - magic - 4
        start = max(0, end - int.from_bytes(content[end : end + 4], "little"))
        changed = bytearray(content)
        for at in rng.integers(start, end, size=int(rng.integers(1, 4))):
            changed[at] = pick(rng, [0, 1, 0x7F, 0x80, 0xFF, changed[at] ^ 1, changed[at] ^ 0x10])
        content = bytes(changed)
        if (at := content.find(b"ARROW:schema")) >= 0 and rng.random() < 0.3:
            junk = base64.b64encode(rng.bytes(30))
            content = content[: at + 20] + junk + content[at + 20 + len(junk) :]
    path.write_bytes(content)
    return path.name


# MATLAB's own files.


def matlab(folder: Path, rng: Rng) -> str:
    """A file that MATLAB wrote, as it is or with a whole number changed."""
    seeds = shipped("scipy", "io/matlab/tests/data/*.mat")
    content = bytearray(pick(rng, seeds).read_bytes() if seeds else b"MATLAB 5.0 MAT-file")
    if rng.random() < 0.6 and len(content) > 200:
        at = 128 + 4 * int(rng.integers((len(content) - 132) // 4))
        content[at : at + 4] = int(pick(rng, [0, 1, 5, 14, 15, 2**31 - 1, 10**6])).to_bytes(
            4, "little"
        )
    (folder / "t.mat").write_bytes(content)
    return "t.mat"


#: Name -> what makes such a file, and whether it is a graph.
CHANGED: dict[str, tuple[Callable[[Path, Rng], str], bool]] = {
    "changed GML": (gml, True),
    "changed GraphML tree": (graphml, True),
    "changed HDF5 objects": (hdf5, False),
    "changed JSON tree": (records, False),
    "changed Parquet schema": (parquet, False),
    "changed Feather schema": (feather, False),
    "MATLAB's own files": (matlab, False),
}
if find_spec("openpyxl") is not None:
    CHANGED["changed workbook parts"] = (workbook, False)
