"""Files as people have them: units, codes, notes above the table, two rows of names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sksieve.exceptions import DataError
from sksieve.io import UnusableTableError, numeric_table, read_graph, read_table


def csv(tmp_path, text, name="a.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def numbers(path, **options):
    return numeric_table(read_table(path, **options))


@pytest.mark.parametrize(
    ("cells", "values", "note"),
    [
        (["31.5%", "7 %", "100%"], [31.5, 7.0, 100.0], "Read as numbers in %: 'v'"),
        (["$8,700.00", "$12.50", "-$3"], [8700.0, 12.5, -3.0], "in $ with thousands"),
        (["1 234 kg", "12 kg", "3 kg"], [1234.0, 12.0, 3.0], "in kg with thousands"),
        (["€ 5", "€7.5", "€1"], [5.0, 7.5, 1.0], "Read as numbers in €"),
        (["1,234,567", "900", "12,000"], [1234567.0, 900.0, 12000.0], 'thousands="'),
        (["1'000", "20", "3'500.5"], [1000.0, 20.0, 3500.5], "with thousands"),
    ],
)
def test_numbers_with_units(tmp_path, cells, values, note):
    lines = [f'{i}.5,"{cell}"' for i, cell in enumerate(cells)]
    numeric = numbers(csv(tmp_path, "\n".join(["u,v", *lines])))
    assert numeric.X[:, 1].tolist() == values
    assert any(note in text for text in numeric.notes)


@pytest.mark.parametrize("cells", [["3 kg", "5 g"], ["a5", "b7"], ["5-6", "7-8"]])
def test_what_is_no_number_with_a_unit(tmp_path, cells):
    table = read_table(csv(tmp_path, "u,v\n" + "".join(f"1,{c}\n" for c in cells)))
    assert table.to_frame()["v"].tolist() == cells


def test_commas_of_thousands_are_asked_about(tmp_path):
    path = csv(tmp_path, 'u,v\n1.5,"1,400"\n2.5,"12,500"\n3.5,900\n')
    with pytest.raises(UnusableTableError, match="thousands, or else decimals") as caught:
        numbers(path)
    assert caught.value.remedy == (("thousands", ","),)
    assert numbers(path, thousands=",").X[:, 1].tolist() == [1400.0, 12500.0, 900.0]


def test_decimal_commas_between_semicolons(tmp_path):
    numeric = numbers(csv(tmp_path, "a;b\n2,6;1360\n2;1292\n2,25;1402\n"))
    assert numeric.X.tolist() == [[2.6, 1360.0], [2.0, 1292.0], [2.25, 1402.0]]
    assert any("decimal comma" in note for note in numeric.notes)


@pytest.mark.parametrize(
    "text", ["a;b\n2,6;1.5\n2;1.25\n2,25;3\n", 'a,b\n"2,6",1.5\n2,1.25\n"2,25",3\n']
)
def test_decimal_commas_beside_decimal_points(tmp_path, text):
    numeric = numbers(csv(tmp_path, text))
    assert numeric.X.tolist() == [[2.6, 1.5], [2.0, 1.25], [2.25, 3.0]]
    assert "Read as numbers with a decimal comma, unlike other columns: 'a'." in numeric.notes


def test_more_names_than_cells_below_other_lines(tmp_path):
    lines = "".join(f"{i}.5,{i * i}.25\n" for i in range(9))
    path = csv(tmp_path, f"Measurements\nof 2020\nlength, cm,age\n{lines}")
    with pytest.raises(DataError, match="line 3 has 3 names and the rows below have 2 cells"):
        read_table(path)


BODY = "len,width,age\n" + "".join(f"{i}.5,{i * i},{i % 7}.25\n" for i in range(12))


def test_lines_above_the_header(tmp_path):
    path = csv(tmp_path, f"Measurements of 2020\n\nby the institute\n{BODY}")
    table = read_table(path)
    assert list(table.columns) == ["len", "width", "age"]
    assert table.shape == (12, 3)
    assert "row 4 names the columns (header_row=4)" in table.notes[0]
    assert table.text(0).to_pylist()[:2] == ["0.5", "1.5"]
    assert read_table(path, header_row=4).shape == (12, 3)


@pytest.mark.parametrize("row", [0, "x", "4-6", 99, "2-1"])
def test_rows_of_names_refused(tmp_path, row):
    with pytest.raises(DataError, match="header_row"):
        read_table(csv(tmp_path, BODY), header_row=row)


def test_two_rows_of_names(tmp_path):
    body = "".join(f"{i},{i}.5,{i * i},3.{i}\n" for i in range(2, 9))
    table = read_table(csv(tmp_path, f"id,seen,,\n,I,II,III\n{body}"))
    assert list(table.columns) == ["id", "seen: I", "seen: II", "seen: III"]
    assert table.shape == (7, 4)
    assert 'header_row="1-2"' in table.notes[0]
    assert table.text(1).to_pylist()[0] == "2.5"


def test_ordinary_tables_keep_their_first_row(tmp_path):
    for text in (BODY, "a,b\nx,y\nz,w\n", "1,2\n3,4\n", "a,b,c\n1,,\n2,5,6\n3,4,5\n"):
        assert not any("header_row" in note for note in read_table(csv(tmp_path, text)).notes)


def test_rows_with_a_number_more_than_names(tmp_path):
    table = read_table(csv(tmp_path, "a,b\n" + "".join(f"{i},{i}.5,{-i}\n" for i in range(20))))
    assert list(table.columns) == ["unnamed_0", "a", "b"]
    assert numeric_table(table).columns == ["a", "b"]


def test_names_that_occur_twice_are_numbered(tmp_path):
    table = read_table(csv(tmp_path, "len,len,w,len_2\n1,2,3,4\n2,3,5,1\n"))
    assert list(table.columns) == ["len", "len_3", "w", "len_2"]
    assert "1 column name occurs more than once" in table.notes[0]
    assert numeric_table(table).columns == ["len", "len_3", "w", "len_2"]


@pytest.mark.parametrize("code", ["-200", "-1", "999", "9999", "1e+30"])
def test_codes_for_missing_values_are_noticed(tmp_path, code):
    rng = np.random.RandomState(0)
    cells = [[f"{v:.2f}" for v in row] for row in rng.uniform(0, 50, size=(40, 4))]
    for i in range(0, 40, 5):
        cells[i][0] = cells[i][2] = code
    path = csv(tmp_path, "a,b,c,d\n" + "\n".join(map(",".join, cells)))
    numeric = numbers(path)
    (note,) = [text for text in numeric.notes if "code for missing" in text]
    assert note.startswith(f"{float(code):g} stands 16 times in 2 columns")
    assert f'missing="{float(code):g}"' in note
    with pytest.raises(UnusableTableError, match="16 missing values in 2 columns"):
        numbers(path, missing=[code])


def test_ordinary_edges_are_no_codes(tmp_path):
    rng = np.random.RandomState(0)
    X = rng.poisson(2, size=(50, 4)) - 2
    path = csv(tmp_path, "a,b,c,d\n" + "\n".join(",".join(map(str, row)) for row in X))
    assert not any("code for missing" in note for note in numbers(path).notes)


def test_few_whole_numbers_among_measurements(tmp_path):
    rng = np.random.RandomState(0)
    lines = [f"{a:.3f},{b:.3f},{c:.3f},{i % 3}" for i, (a, b, c) in enumerate(rng.rand(60, 3))]
    path = csv(tmp_path, "a,b,c,Sorte\n" + "\n".join(lines))
    (note,) = [text for text in numbers(path).notes if "labels?" in text]
    assert note.startswith("'Sorte' holds 3 whole numbers among measurements: labels?")
    assert 'label_column="Sorte"' in note


def test_unix_times_are_offered_to_be_dropped(tmp_path):
    lines = [f"{1_423_072_260 + 60 * i},{i % 7}.5" for i in range(20)]
    path = csv(tmp_path, "timestamp,a\n" + "\n".join(lines))
    assert any("'timestamp' looks like times" in text for text in numbers(path).notes)


def test_switches_and_ticked_boxes_are_columns_of_0_and_1(tmp_path):
    path = csv(tmp_path, "seen,film,x\nYes,Alien,1\nNo,,2\nYes,,3\nNo,Alien,5\n")
    numeric = numbers(path)
    assert numeric.X.tolist() == [[1, 1, 1], [0, 0, 2], [1, 0, 3], [0, 1, 5]]
    assert "'seen' is 1 for 'Yes'; 'film' is 1 for 'Alien', else 0" in numeric.notes[0]


@pytest.mark.parametrize("name", ["timestamp", "time", "created at time"])
def test_times_are_no_weights(tmp_path, name):
    lines = [f"p{i},p{i + 1},{1_423_072_260 + i}" for i in range(9)]
    path = csv(tmp_path, f"sender,receiver,{name}\n" + "\n".join(lines))
    with pytest.raises(DataError, match=f"column {name!r} looks like times") as caught:
        read_graph(path)
    assert 'source="sender" target="receiver"' in str(caught.value)
    graph = read_graph(path, source="sender", target="receiver")
    assert set(graph.A.data) == {1.0}
    assert read_graph(path, weight=name).A.data.max() > 1e9


def test_an_edge_list_with_since(tmp_path):
    path = csv(tmp_path, "anna,bob,since\nanna,carl,2010\nbob,carl,2012\ncarl,dora,2011\n")
    with pytest.raises(DataError, match="column 'since' looks like times"):
        read_graph(path)
    assert read_graph(path, source="anna", target="bob").A.shape == (4, 4)


def test_weights_are_named(tmp_path):
    path = csv(tmp_path, "person,friend,calls\na,b,3\nb,c,5\nc,a,1\n")
    graph = read_graph(path)
    assert any("those of column 'calls'" in note for note in graph.notes)


def test_a_workbook_with_notes_around_the_table(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    for row in (["Deaths", None, None], ["by", "me", None], ["name", "age", "height"]):
        book.active.append(row)
    for i in range(6):
        book.active.append([f"n{i}", 60 + i, 1.5 + i / 10])
    book.active.append(["the end"])
    book.save(tmp_path / "a.xlsx")
    table = read_table(tmp_path / "a.xlsx")
    assert list(table.columns) == ["name", "age", "height"]
    assert table.shape == (6, 3)
    assert any("row 3 names the columns" in note for note in table.notes)
    assert any("1 row below the table" in note for note in table.notes)


@pytest.mark.parametrize("row", ["2000000000", "1048577"])
def test_rows_that_no_sheet_has(tmp_path, row):
    import zipfile

    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.save(tmp_path / "sound.xlsx")
    with (
        zipfile.ZipFile(tmp_path / "sound.xlsx") as sound,
        zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for info in sound.infolist():
            content = sound.read(info)
            if "worksheets/" in info.filename:
                content = content.replace(
                    b"</sheetData>",
                    f'<row r="{row}"><c r="A{row}"><v>1</v></c></row></sheetData>'.encode(),
                )
            archive.writestr(info, content)
    with pytest.raises(DataError, match=r"a sheet has at most 1,048,576 rows"):
        read_table(tmp_path / "a.xlsx")


DIRTY = Path(__file__).parents[3] / "shared" / "dirty"


@pytest.mark.skipif(not DIRTY.is_dir(), reason="the dirty files are not there")
@pytest.mark.parametrize(
    ("name", "options", "shape"),
    [
        ("AirQualityUCI_semicolon.csv", {"missing": ["-200"]}, (9357, 14)),
        ("StarWars.csv", {"encoding": "cp1252"}, (1186, 38)),
        ("datatraining.txt", {}, (8143, 8)),
        ("deaths.xlsx", {"name": "arts"}, (10, 6)),
    ],
)
def test_files_of_the_world(name, options, shape):
    table = read_table(DIRTY / name, **options)
    assert table.shape == shape
    numeric = numeric_table(table, encode="onehot", impute="median")
    assert np.isfinite(numeric.X).all()


def test_dates_are_days_where_text_is_encoded_anyway():
    days = np.arange(0, 80, 2).astype("datetime64[D]")
    table = {"x": np.arange(40.0) ** 2, "kind": list("abcd") * 10, "day": days}
    with pytest.raises(UnusableTableError) as caught:
        numeric_table(table)
    assert caught.value.remedy == (("encode", "onehot"),)
    assert "day" in numeric_table(table, encode="onehot").columns
    with pytest.raises(UnusableTableError) as caught:
        numeric_table({"x": table["x"], "day": days})
    assert caught.value.remedy == (("drop", "day"),)


def test_long_names_keep_their_ends():
    names = [f"{'How much do you agree with the following sentence? ' * 2}{j}" for j in range(2)]
    rng = np.random.default_rng(0)
    frame = {name: rng.choice(["no", "yes", "well"], 30) for name in names} | {"x": np.arange(30)}
    with pytest.raises(UnusableTableError) as caught:
        numeric_table(frame)
    text = str(caught.value)
    assert "following sentence? 0', 'How much" in text
    assert f'label_column="{names[0]}"' in text
