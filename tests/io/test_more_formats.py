"""Workbooks, JSON, TXT, other encodings, compressed files."""

from __future__ import annotations

import base64
import bz2
import gzip
import json
import lzma
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from sksieve.exceptions import DataError, TooLargeError
from sksieve.io import read_graph, read_table

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
feather = pytest.importorskip("pyarrow.feather")

FRAME = pd.DataFrame({"zip": ["01234", "1E5", None], "age": [31, 45, 7], "x": [1.5, None, -2.0]})


def test_workbook(tmp_path):
    pytest.importorskip("openpyxl")
    FRAME.to_excel(tmp_path / "a.xlsx", index=False, sheet_name="people")
    table = read_table(tmp_path / "a.xlsx")
    assert list(table.columns) == ["zip", "age", "x"]
    assert table.array == "people"
    pd.testing.assert_frame_equal(table.to_frame(), FRAME)
    table = read_table(tmp_path / "a.xlsx", header=False)
    assert list(table.columns) == ["x0", "x1", "x2"]
    assert table.shape == (4, 3)


#: A workbook of Excel 97, written by another program: sheets "people" and "empty".
XLS = (
    "c-rk)O=uHA6#i!NADT3&sn7}`6s%f%5fQw!YX$AeP`xNBXkwSPG~I*{gnDSJHAg}4q<AUx;-%`PDk|vBgHX|fAP9*b#e<"
    ";WA<g>cW!I(}p@CYA?6=IDH*e<KH#_rYc6MK_L`w_zyUX|mgK(j02H>r;2}%LG5CPSjrc&+PPsw!9QV95IBE23w4!!iLI"
    "aKpqhQvMhbCSRZN@tNnGHd9GEyQ8&LrSPV3<x*Hp2TfRVRUi7I#^y{xsByrZu^AgA+}s&IY4bo;xtyYWZyw6j!(%Rt_zb"
    "Cc)*-@Y}toSyijpGdtKDpdN7oqNM-)binzNCi=des)(t(M%9IeJDO|)iGXZ?H*Xpx`W8Yf40NKB<xBD8{Z%8*V2lKp8fm"
    "oz~{OqbN!<?SYW%MFK2=N~5fj*ThOjmF~O*bc^8mTFr2&plh8jb4{W8(!?Gz^mIY?>lEIYg>{Q4gxkn-_az-C_^%5@;hi"
    "igwncybvO^omcLBd3`KBqMc*Q9B=To*T7EIZ<x5O7(@<pjhm%<fIepIWqF0~x`Xv@mN9x7%6msTE#>Gux4Fu-z2s*<<Bh"
    "hfPTx&>@ze2#@#05q59v$8<x8=px7q@F=(RLTe09yEU-XMxHx(Xfb}p<9<2}o+-!>1wj97g)t#@5JRuN=1%Cc5cqa%Knq"
    "%~HGEgG-|v(<P!CI5oiGi*B}6<hIS1D@nIYBXnL(3+EF%d2Fs9?Pq%0o%oFujSRn>^R$IE2b$iC_AvMT+lYThRur){4qY"
    "(&}#9)V}?d!=D>ji2M!!KaL{59e2lFf+THw_Q9Jhetp7Tzl&a2elK&Pbkfp0YpQT4&P@czhQ}MGM9%0{0Y>;FBFH|^5-t"
    "(A5n)@-?bo|n>UDQ9%hKZ5QTSCqHuQt=qzwG}9?&|-2"
)


def test_workbook_of_excel_97(tmp_path):
    pytest.importorskip("python_calamine")
    content = zlib.decompress(base64.b85decode(XLS))
    (tmp_path / "a.xls").write_bytes(content)
    table = read_table(tmp_path / "a.xls")
    assert table.array == "people"
    assert table.data.to_pydict() == {
        "name": ["ann", "bob", "eve"],
        "age": [31, 45, 7],
        "height": [1.5, None, -2.25],
    }
    with pytest.raises(DataError, match="has no sheet 'x'; it has 'people', 'empty'"):
        read_table(tmp_path / "a.xls", name="x")
    for n in (8, 600, 3000):
        (tmp_path / "a.xls").write_bytes(content[:n])
        with pytest.raises(DataError, match=r"a\.xls cannot be read as XLS"):
            read_table(tmp_path / "a.xls")


def test_workbook_of_several_sheets(tmp_path):
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(tmp_path / "a.xlsx") as book:
        FRAME.to_excel(book, index=False, sheet_name="people")
        pd.DataFrame().to_excel(book, index=False, sheet_name="empty")
        FRAME[["age"]].to_excel(book, index=False, sheet_name="ages")
    with pytest.raises(DataError, match=r"several sheets .*'people', 'ages'; choose one"):
        read_table(tmp_path / "a.xlsx")
    assert list(read_table(tmp_path / "a.xlsx", name="ages").columns) == ["age"]
    with pytest.raises(DataError, match="has no sheet 'x'"):
        read_table(tmp_path / "a.xlsx", name="x")


def test_workbook_with_one_cell_far_away(tmp_path):
    """pandas would fill a table of 17 billion cells."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, 2])
    book.active["XFD1048576"] = 1
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(TooLargeError, match=r"a\.xlsx, of 1,048,576 x 16,384"):
        read_table(tmp_path / "a.xlsx")


def test_cells_of_a_workbook(tmp_path):
    """Failed formulas and gaps are missing, rows may differ in length, 3.0 is 3."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["a", "b", "c"], [3.0, "#DIV/0!", 1.5], [], [4], [5, 6, "NA"], [None]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    data = read_table(tmp_path / "a.xlsx").data
    assert data.to_pydict() == {
        "a": [3, None, 4, 5],
        "b": [None, None, None, 6],
        "c": [1.5, None, None, None],
    }
    assert str(data.schema.field("a").type) == "int64"


def test_workbook_of_a_header_only(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.save(tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx").shape == (0, 2)


def test_workbook_that_is_a_bomb(tmp_path, monkeypatch):
    pytest.importorskip("python_calamine")
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", "1 GB")
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 2 * 10**8)
    with pytest.raises(TooLargeError):
        read_table(tmp_path / "a.xlsx")


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_records(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    FRAME.to_json(path, orient="records", lines=ending == "jsonl")
    pd.testing.assert_frame_equal(read_table(path).to_frame(), FRAME)


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_number_beyond_float64_in_json(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    record = '{"a": 1' + "0" * 400 + "}"
    path.write_text(f"[{record}]" if ending == "json" else record)
    with pytest.raises(DataError, match=f"a.{ending} has a number too large for float64"):
        read_table(path)


def test_columns_in_json(tmp_path):
    (tmp_path / "a.json").write_text('{"a": [1, 2], "b": [1.5, "x"]}')
    table = read_table(tmp_path / "a.json")
    assert table.data.column("a").to_pylist() == [1, 2]
    assert table.data.column("b").to_pylist() == ["1.5", "x"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[{"a": 1, "a": 2}]', "has the name 'a' twice"),
        ('[{"a": [1]}]', "'a' hold objects or lists"),
        ("[1, 2]", "record 1 is not an object"),
        ('{"a": [1], "b": [1, 2]}', "its columns differ in length"),
        ('{"a": {"0": 1}}', "is not a list of records"),
        ("[{", "cannot be read as JSON"),
        ("[" * 100_000, "cannot be read as JSON"),
    ],
)
def test_json_refused(tmp_path, text, error):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(DataError, match=error):
        read_table(tmp_path / "a.json")


def test_records_that_share_no_name_are_judged_first(tmp_path, monkeypatch):
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", "1e8")
    (tmp_path / "a.json").write_text(json.dumps([{f"k{i}": i} for i in range(5000)]))
    with pytest.raises(TooLargeError, match="5,000 x 5,000"):
        read_table(tmp_path / "a.json")


def test_whole_numbers_beyond_64_bits(tmp_path):
    (tmp_path / "a.json").write_text(f'[{{"a": {10**30}}}, {{"a": 2}}]')
    assert read_table(tmp_path / "a.json").data.column("a").to_pylist() == [1e30, 2.0]


@pytest.mark.parametrize("sep", ["\t", ";", ",", "   "])
def test_txt(tmp_path, sep):
    (tmp_path / "a.txt").write_text(f"a{sep}b\n1{sep}2.5\n3{sep}4\n")
    table = read_table(tmp_path / "a.txt")
    assert list(table.columns) == ["a", "b"]
    np.testing.assert_array_equal(table.to_frame(), [[1, 2.5], [3, 4]])


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "utf-16", "utf-8-sig"])
def test_encodings(tmp_path, encoding):
    (tmp_path / "a.csv").write_bytes("Größe,b\n1,é\n3,4\n".encode(encoding))
    table = read_table(tmp_path / "a.csv", encoding=encoding)
    assert list(table.columns) == ["Größe", "b"]
    assert table.data.column(1).to_pylist() == ["é", "4"]
    assert table.text(1).to_pylist() == ["é", "4"]


def test_utf16_with_its_mark_needs_no_option(tmp_path):
    (tmp_path / "a.csv").write_bytes("Größe,b\n1,2\n3,4\n".encode("utf-16"))
    assert list(read_table(tmp_path / "a.csv").columns) == ["Größe", "b"]


def test_unknown_encodings(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    for name in ("utf-99", "base64"):
        with pytest.raises(DataError, match=f'encoding="{name}": there is no such encoding'):
            read_table(tmp_path / "a.csv", encoding=name)


def test_encoding_on_the_command_line(invoke, tmp_path):
    (tmp_path / "a.csv").write_bytes("é,b\n1,2\n3,5\n4,4\n".encode("latin-1"))
    words = ("select", tmp_path / "a.csv", "-k", 1, "--method", "greedy", "--encoding", "latin-1")
    result = invoke(*words, "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["columns"] == ["é", "b"]


def zipped(content: bytes, path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner.csv", content)


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.csv.gz", lambda content, path: path.write_bytes(gzip.compress(content))),
        ("a.csv.bz2", lambda content, path: path.write_bytes(bz2.compress(content))),
        ("a.csv.xz", lambda content, path: path.write_bytes(lzma.compress(content))),
        ("a.csv.zip", zipped),
        ("a.zip", zipped),
    ],
)
def test_compressed_text(tmp_path, name, pack):
    pack(b"a,b\n1,2\n3,4\n", tmp_path / name)
    np.testing.assert_array_equal(read_table(tmp_path / name).to_frame(), [[1, 2], [3, 4]])
    pack(b"x,y\ny,z\n", tmp_path / name)
    assert read_graph(tmp_path / name, header=False).names == ["x", "y", "z"]


def test_archives_of_several_files(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.csv", "a\n1\n")
        archive.writestr("b.csv", "a\n1\n")
    with pytest.raises(DataError, match=r"holds 2 files \('a\.csv', 'b\.csv'\)"):
        read_table(tmp_path / "a.zip")


def test_archive_of_a_file_without_a_name(tmp_path):
    path = tmp_path / "a.csv.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "a,b\n1,2\n")
    path.write_bytes(path.read_bytes().replace(b"a.csv", b"\0.csv"))
    np.testing.assert_array_equal(read_table(path).to_frame(), [[1, 2]])


@pytest.mark.parametrize("compression", ["zstd", "lz4", "uncompressed"])
def test_feather_is_judged_before_it_is_unpacked(tmp_path, monkeypatch, compression):

    frame = pa.table({"a": np.zeros(10**6), "b": pa.array(["x"] * 10**6).dictionary_encode()})
    feather.write_feather(frame, tmp_path / "a.feather", compression=compression)
    assert read_table(tmp_path / "a.feather").data.equals(frame)
    monkeypatch.setenv("SKSIEVE_MEMORY_LIMIT", "1e7")

    def never(file):
        raise AssertionError("unpacked")

    if compression != "uncompressed":
        monkeypatch.setattr(feather, "read_table", never)
    with pytest.raises(TooLargeError):
        read_table(tmp_path / "a.feather")


def test_xml_entities_are_refused(tmp_path):
    pytest.importorskip("networkx")
    path = tmp_path / "a.graphml"
    for encoding in ("utf-8", "utf-16"):
        path.write_bytes(
            '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
            "<graphml>&a;</graphml>".encode(encoding)
        )
        with pytest.raises(DataError, match="document type declaration"):
            read_graph(path)
