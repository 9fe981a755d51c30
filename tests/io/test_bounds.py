"""Small files that would take much memory or time, and names and values that came out wrong."""

from __future__ import annotations

import io
import json
import os
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

from sksieve.exceptions import DataError, TooLargeError
from sksieve.io import numeric_table, read_table
from sksieve.io.tables import _records

HOSTILE = ["chr:x:100", "chr:b:9", "[red]a[/red]", "b\x1b[2JY", "a\u202eb", "a\u2028b", "a\u0085b"]


@pytest.fixture
def limit(monkeypatch):
    def put(size):
        monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", size)

    return put


def dictionary_bomb():
    values = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(10_000, dtype=np.int32)), pa.array(["x" * 10**6])
    )
    return pa.table({"a": values, "b": np.arange(10_000.0)})


def test_dictionaries_of_long_texts_are_bounded(tmp_path, limit):
    path = tmp_path / "a.parquet"
    parquet.write_table(dictionary_bomb(), path)
    assert path.stat().st_size < 200_000
    limit("1 GB")
    with pytest.raises(TooLargeError, match=r"a\.parquet, of 10,000 x 2, would need about 21 GB"):
        read_table(path)
    feather.write_feather(dictionary_bomb(), tmp_path / "a.feather")
    with pytest.raises(TooLargeError, match=r"a\.feather, of 10,000 x 2, would need about 21 GB"):
        read_table(tmp_path / "a.feather")


def test_plain_texts_of_parquet_are_read(tmp_path):
    table = pa.table({"a": ["x", None, "y"], "b": [1.0, 2.0, 3.0]})
    parquet.write_table(table, tmp_path / "a.parquet")
    column = read_table(tmp_path / "a.parquet").to_frame()["a"]
    assert column.isna().tolist() == [False, True, False]
    assert column.dropna().tolist() == ["x", "y"]


def test_a_name_twice_after_many_is_found_at_once(tmp_path):
    path = tmp_path / "a.json"
    names = ", ".join(f'"k{i}": 1' for i in range(200_000))
    path.write_text(f'{{{names}, "k7": 2}}')
    with pytest.raises(DataError, match=r"a\.json: an object has the name 'k7' twice"):
        read_table(path)


def test_records_without_a_common_name_are_refused_before_the_table_is_made(tmp_path, limit):
    limit("4 GB")
    (tmp_path / "a.json").write_text(json.dumps([{f"k{i}": i} for i in range(12_000)]))
    with pytest.raises(TooLargeError, match="12,000 x 12,000"):
        read_table(tmp_path / "a.json")


def test_many_columns_that_are_not_numbers(tmp_path, limit):
    limit("500 MB")
    n = 100_000
    lines = [",".join(f"c{i}" for i in range(n)), ",".join(["1"] * (n - 1) + ["text"])]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(TooLargeError, match=r"a\.csv, of 100,000 columns that are not all"):
        read_table(tmp_path / "a.csv")


def test_endless_standard_input(limit, monkeypatch):
    class Zeros(io.RawIOBase):
        read_bytes = 0

        def read(self, n=-1):
            self.read_bytes += n
            assert self.read_bytes < 10**8
            return bytes(n)

    class Piped:
        buffer = Zeros()

        def isatty(self):
            return False

    limit("20 MB")
    monkeypatch.setattr(sys, "stdin", Piped())
    with pytest.raises(TooLargeError, match="Reading standard input"):
        read_table("-")


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFOs")
def test_lists_of_names_are_files_with_names(tmp_path):
    table = {"a": [1.0, 2.0], "b": [2.0, 3.0]}
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "empty.txt").write_text("\n \n")
    for name, message in (
        ("fifo", "it is not a regular file"),
        ("empty.txt", "it has none"),
        ("absent.txt", "there is no such file"),
    ):
        with pytest.raises(DataError, match=message):
            numeric_table(table, columns=f"@{tmp_path / name}")
    with pytest.raises(DataError, match="it is not a regular file"):
        numeric_table(table, columns="@/dev/zero")
    (tmp_path / "sound.txt").write_text("a\u2028\nb\r\n")
    assert numeric_table({"a": [1.0, 2.0], "b": [2.0, 3.0]}, columns="b").columns == ["b"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_with_separators_of_lines_are_read(tmp_path, name):
    records = [{name: 1, "b": name}, {name: 2, "b": "c"}]
    text = "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    for ending in (".jsonl", ".json"):
        path = tmp_path / f"a{ending}"
        path.write_text(text, encoding="utf-8")
        table = read_table(path)
        assert list(table.columns) == [name.strip(), "b"]
        assert table.to_frame()["b"].tolist() == [name, "c"]


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_records_that_come_in_pieces_are_those_of_the_whole(tmp_path, monkeypatch, ending):
    """Numbers of both kinds, numbers and text, names that come late, objects cut anywhere."""
    monkeypatch.setattr(_records, "CHUNK", 5)
    monkeypatch.setattr(_records, "CELLS", 7)
    records = [
        {
            "whole": i,
            "both": [i, i + 0.5][i % 2],
            "text": ["a,é", i, 2.0, True][i // 5],
            "none": None,
        }
        | ({"late": 10**20 if i == 18 else i} if i > 12 else {})
        for i in range(20)
    ]
    path = tmp_path / f"a.{ending}"
    if ending == "json":
        path.write_text(json.dumps(records, indent=1))
    else:
        path.write_text("\n".join(map(json.dumps, records)))
    table = read_table(path).data.to_pydict()
    assert table == {
        "whole": list(range(20)),
        "both": [float(record["both"]) for record in records],
        "text": [str(record["text"]) for record in records],
        "none": [None] * 20,
        "late": [None] * 13 + [float(record["late"]) for record in records[13:]],
    }


@pytest.mark.parametrize("damage", ["", "x", ":"])
def test_damaged_json_in_pieces_is_worded_as_by_json(tmp_path, monkeypatch, damage):
    """Cut at each place, or with more after it; the place in the message is that in the whole."""
    monkeypatch.setattr(_records, "CHUNK", 4)
    whole = '[\n{"a": 1.5, "b": "\\u00e9"},\n {"a": true, "b": null}\n]'
    path = tmp_path / "a.json"
    for i in range(1, len(whole)):
        path.write_text(whole[:i] + damage)
        with pytest.raises(json.JSONDecodeError) as error:
            json.loads(whole[:i] + damage)
        with pytest.raises(DataError) as refusal:
            read_table(path)
        assert f"({error.value})" in str(refusal.value)


def test_half_of_a_pair_of_surrogates_is_named(tmp_path):
    (tmp_path / "a.json").write_text('[{"a": "\\ud800", "b": 1}]')
    with pytest.raises(DataError, match=r"column 'a' has '\\ud800', half of a pair"):
        read_table(tmp_path / "a.json")
    (tmp_path / "b.json").write_text('[{"\\udc00": 1, "b": 1}]')
    with pytest.raises(DataError, match=r"half of a pair"):
        read_table(tmp_path / "b.json")


@pytest.mark.parametrize("encoding", ["idna", "punycode", "unicode_escape", "rot13", "base64"])
def test_what_is_no_encoding_of_texts(tmp_path, encoding):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="there is no such encoding"):
        read_table(tmp_path / "a.csv", encoding=encoding)


@pytest.mark.parametrize("decimal", ["", "..", ";", "é"])
def test_decimal_signs_refused(tmp_path, decimal):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="decimal"):
        read_table(tmp_path / "a.csv", decimal=decimal)


@pytest.mark.filterwarnings("error")
def test_extreme_numbers_are_refused_without_a_warning():
    with pytest.raises(DataError, match=r"largest magnitude is 1e\+308"):
        numeric_table({"a": [-1e308, 1e308], "b": [1.0, 2.0]})
    single = np.array([3e38, -3e38, 1.0], dtype=np.float32)
    numeric_table({"a": single, "b": np.arange(3, dtype=np.float32)})


def test_whole_numbers_that_float64_cannot_tell_apart():
    ids = [2**63 - 1 - i for i in range(5)]
    with pytest.raises(DataError, match="column 'id' holds 5 different whole numbers of which"):
        numeric_table({"id": ids, "b": [1.0, 2.0, 4.0, 3.0, 5.0]})
    assert numeric_table({"id": [0, 2**53 + 2], "b": [1.0, 2.0]}).columns == ["id", "b"]


def test_runs_of_equal_values_in_feather(tmp_path):
    import pyarrow.compute as pc

    runs = pc.run_end_encode(pa.array([1.0, 1.0, 2.0]))
    with pa.OSFile(str(tmp_path / "a.feather"), "wb") as file:
        table = pa.table({"a": runs, "b": [1, 2, 3]})
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    assert numeric_table(read_table(tmp_path / "a.feather")).X[:, 0].tolist() == [1.0, 1.0, 2.0]


def test_attributes_of_gml_that_are_lists(tmp_path):
    from sksieve.io import read_graph

    node = 'node [ id {0} label "v{0}" name 1 name {0} size 2 size 3 ]'
    nodes = "\n".join(node.format(i) for i in range(3))
    edges = "edge [ source 0 target 1 ]\nedge [ source 1 target 2 ]"
    (tmp_path / "a.gml").write_text(f"graph [\n{nodes}\n{edges}\n]\n")
    graph = read_graph(tmp_path / "a.gml")
    assert graph.A.shape == (3, 3)
    assert list(graph.names) == ["v0", "v1", "v2"]


def test_specs_nested_too_deeply(tmp_path):
    from sksieve.bench import read_spec

    path = tmp_path / "a.toml"
    path.write_text("x = " + "[" * 20_000 + "]" * 20_000)
    with pytest.raises(DataError, match="nested too deeply"):
        read_spec(path)
    (tmp_path / "deep.json").write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(DataError, match=r"deep\.json cannot be read as JSON"):
        read_table(tmp_path / "deep.json")


@pytest.mark.parametrize("name", HOSTILE)
def test_messages_and_notes_show_names_as_they_are(name, capsys):
    from sksieve.cli._print import note, print_lines, refuse

    note(f"Left out: {name}.")
    refuse(f"There is no column {name}.")
    print_lines(f"Next: sksieve select a.csv --drop {name}")
    caught = capsys.readouterr()
    text = caught.out + caught.err
    shown = name.encode("unicode_escape").decode() if not name.isascii() or "\x1b" in name else name
    assert text.count(shown) == 3
    assert "\x1b" not in text


def test_times_of_every_unit_and_size():
    days = {
        "s": [0, 86_400, 2**62],
        "ms": [0, 86_400_000, None],
        "ns": [1, 86_400 * 10**9 + 7, None],
    }
    columns = {unit: pa.array(values, pa.timestamp(unit)) for unit, values in days.items()}
    columns["ns"] = columns["ns"].cast(pa.timestamp("ns", "Europe/Vienna"))
    columns["date"] = pa.array([0, 1, 30], pa.date32())
    table = numeric_table(pa.table(columns), encode="onehot", impute="median")
    of = dict(zip(table.columns, table.X.T))
    assert of["date"].tolist() == [0, 1, 30]
    assert of["s"].tolist() == [0, 1, 2**62 / 86_400]
    assert of["ms"].tolist() == [0, 1, 0.5]
    assert of["ns"].tolist() == [0, 1, 0.5]


def test_variables_of_h5ad_that_are_an_array(tmp_path):
    anndata, h5py = pytest.importorskip("anndata"), pytest.importorskip("h5py")
    anndata.AnnData(np.eye(3)).write_h5ad(tmp_path / "a.h5ad")
    with h5py.File(tmp_path / "a.h5ad", "r+") as file:
        del file["var"]
        file["var"] = np.zeros(3, dtype=[("a", "f8"), ("b", "i4")])
    with pytest.raises(DataError, match=r"a\.h5ad: its var is not a table; the file is damaged"):
        read_table(tmp_path / "a.h5ad")


@pytest.mark.skipif(not hasattr(pa, "uuid"), reason="needs a newer pyarrow")
def test_a_column_of_uuids_is_named(tmp_path):
    stored = pa.array([bytes([i] * 16) for i in range(9)], pa.binary(16))
    column = pa.ExtensionArray.from_storage(pa.uuid(), stored)
    table = pa.table({"key": column, "x": np.arange(9.0), "y": np.arange(9.0) ** 2})
    pytest.importorskip("pyarrow.feather").write_feather(table, tmp_path / "t.feather")
    with pytest.raises(DataError, match="1 column of 3 does not hold numbers: 'key'"):
        numeric_table(read_table(tmp_path / "t.feather"))


@pytest.mark.parametrize("encode", [None, "onehot"])
def test_nested_columns_are_named(encode):
    nested = {
        "map": pa.array([[("k", 1)]] * 3, pa.map_(pa.string(), pa.int64())),
        "struct": pa.array([{"a": {"b": 1}}] * 3),
        "list": pa.array([[{"a": 1}]] * 3),
    }
    for name, column in nested.items():
        with pytest.raises(DataError, match=f"column '{name}' holds nested values") as caught:
            numeric_table(pa.table({"x": [1.0, 2.0, 4.0], name: column}), encode=encode)
        assert ("drop", name) in caught.value.remedy
