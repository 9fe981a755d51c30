"""The scaling that suits method and table where none was asked for, and images in the report."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import sksieve
from sksieve.catalogue import get_method, list_methods


@pytest.mark.parametrize("method", [m.name for m in list_methods("selector") if m.scaling == "raw"])
def test_methods_that_look_for_variance_get_columns_as_they_are(invoke, csv, values, method):
    words = ("select", csv, "-k", 2, "--drop", "group", "--method", method)
    result = invoke(*words, "--json")
    assert result.exit_code == 0, result.stderr
    est = get_method(method).load()(n_features_to_select=2).fit(values)
    document = json.loads(result.stdout)
    assert [c["indices"][0] for c in document["chosen"]] == est.ranking_[:2].tolist()
    assert document["method"]["scale"] == "none"
    message = [line for line in result.stderr.splitlines() if "(--scale none)" in line]
    assert len(message) == 1
    assert f"Columns are unchanged (--scale none): {method} looks for large" in message[0]
    standard = invoke(*words, "--scale", "standard", "--json")
    assert json.loads(standard.stdout)["method"]["scale"] == "standard"
    assert "--scale none" not in standard.stderr


def test_the_command_repeats_what_was_asked_for(invoke, csv):
    words = ("select", csv, "-k", 2, "--drop", "group", "--method", "fspca")
    assert "--scale" not in json.loads(invoke(*words, "--json").stdout)["command"]
    asked = invoke(*words, "--json", "--scale", "standard").stdout
    assert "--scale standard" in json.loads(asked)["command"]


def counts(tmp_path, name="a.mtx"):
    X = np.random.default_rng(0).poisson(0.6, (40, 8)).astype(float)
    scipy.io.mmwrite(tmp_path / name, sp.coo_array(X))
    return tmp_path / name, sp.csr_array(X)


def test_sparse_tables_are_not_centered(invoke, tmp_path):
    path, X = counts(tmp_path)
    words = ("select", path, "-k", 3, "--json", "--method")
    blufs = invoke(*words, "blufs")
    assert blufs.exit_code == 0, blufs.stderr
    assert "(--scale none): blufs scales them itself" in blufs.stderr
    est = sksieve.BLUFS(3).fit(X)
    chosen = [c["indices"][0] for c in json.loads(blufs.stdout)["chosen"]]
    assert chosen == est.ranking_[:3].tolist()
    lapscore = invoke(*words, "lapscore")
    assert lapscore.exit_code == 0, lapscore.stderr
    assert "Columns are scaled to length 1 (--scale unit): centering would" in lapscore.stderr
    assert json.loads(lapscore.stdout)["method"]["scale"] == "unit"
    greedy = invoke(*words, "greedy")
    assert json.loads(greedy.stdout)["method"]["scale"] == "standard"
    assert "centering" not in greedy.stderr


# Images --------------------------------------------------------------------------------------


@pytest.fixture
def faces(tmp_path):
    """Images of 3 by 4 pixels, their columns one below the other."""
    X = np.random.default_rng(1).uniform(size=(30, 12))
    X[:, 5] += 3 * (np.arange(30) % 2)
    np.save(tmp_path / "faces.npy", X)
    return tmp_path / "faces.npy"


def test_pixels_in_the_report(invoke, faces, tmp_path):
    report = tmp_path / "r.html"
    words = ("select", faces, "-k", 1, "--method", "variance", "--image-shape", "3x4,columns")
    result = invoke(*words, "--report", report)
    assert result.exit_code == 0, result.stderr
    page = report.read_text("utf-8")
    assert "Where the chosen pixels lie" in page
    assert re.search(r'<rect x="1" y="2"', page), "pixel 5 of 3 x 4, counted down the columns"
    assert "--image-shape 3x4,columns" in page


@pytest.mark.parametrize("text", ["12", "3x", "0x4", "3x4,down", "ax4", "-3x4"])
def test_what_is_no_image_shape(refused, faces, text):
    message = refused("select", faces, "-k", 1, "--image-shape", text, code=2)
    assert message == (
        f"--image-shape {text}: give height and width in pixels, such as 32x32, or 32x32,columns "
        "if the columns run down the image."
    )


def test_image_of_another_size(refused, faces, tmp_path):
    words = ("select", faces, "-k", 1, "--report", tmp_path / "r.html", "--image-shape", "5x3")
    assert refused(*words).startswith(
        "--image-shape 5x3 has 15 pixels, but there are 12 columns to choose from in faces.npy; "
    )
    assert not (tmp_path / "r.html").exists()


def test_image_without_a_report(refused, faces):
    message = refused("select", faces, "-k", 1, "--image-shape", "3x4", code=2)
    assert message == "--image-shape 3x4 is for the report; add --report report.html."
