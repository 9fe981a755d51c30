"""Reports of selectors that score columns: what they reconstruct, groups, concepts, pixels."""

from __future__ import annotations

import base64
import io
import re
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib.image import imread
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import StandardScaler

from sksieve import BLUFS, LSDCL, LaplacianScore
from sksieve.catalogue import get_method, list_methods
from sksieve.evaluation import explained, selection_summary
from sksieve.evaluation._group_weights import column_weights
from sksieve.evaluation._reconstruction import reconstruction
from sksieve.exceptions import DataWarning
from sksieve.report import ImageShape, SelectionResult
from sksieve.report._concepts import concepts_view
from sksieve.report._group_weights import groups_view
from sksieve.report._pictures import gray_picture, signed_picture
from sksieve.report._pixels import pixels_view
from sksieve.report._score_meanings import SCORED
from sksieve.report._selection_view import _scores

from .pages import Page, low_rank, page_of, payload, result_for


def picture(uri: str) -> np.ndarray:
    """A data URI, decoded by somebody else's code."""
    head, body = uri.split(",")
    assert head == "data:image/png;base64"
    return imread(io.BytesIO(base64.b64decode(body)))


def blobs(c: int = 4, d: int = 12) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_blobs([60, 40, 30, 20][:c], d, centers=None, random_state=3)
    return X, y


@pytest.fixture(scope="module")
def digits() -> np.ndarray:
    return load_digits().data[:400]


# What the chosen columns reconstruct -------------------------------------------------------------


@pytest.mark.parametrize("form", ["dense", "csr", "float32", "shifted"])
def test_reconstruction_is_least_squares_on_standardized_columns(form: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, (50, 9)).astype(float) * rng.uniform(0.1, 10, 9)
    X[:, 7] = X[:, 1] - 3 * X[:, 2]  # a chosen column explains it in part
    X[:, 4] = 2.5
    X[:, 8] = 2 * X[:, 2]  # a copy among the chosen ones
    order = np.array([2, 5, 8])
    table = {"csr": sp.csr_array(X), "float32": X.astype(np.float32), "shifted": X + 1e5}
    found = reconstruction(table.get(form, X), order)
    Z = StandardScaler().fit_transform(X)
    scores = [
        np.nan
        if j == 4
        else LinearRegression().fit(Z[:, order], Z[:, j]).score(Z[:, order], Z[:, j])
        for j in range(9)
    ]
    dropped = found.columns
    assert sorted(dropped) == [0, 1, 3, 4, 6, 7]
    np.testing.assert_allclose(found.r2, np.array(scores)[dropped], atol=2e-5)
    est = SimpleNamespace(ranking_=order, n_features_to_select_=3)
    together = selection_summary(est, table.get(form, X)).together
    np.testing.assert_allclose(together[-1], np.nansum(scores) / 8, atol=2e-5)
    assert together[2] - together[1] < 1e-5, "a copy adds nothing"


def test_rounding_is_no_variation() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(90, 3)), np.full(90, 0.1), np.full(90, 1e5 + 0.1)])
    found = reconstruction(X, np.array([0, 1]))
    assert set(found.columns[np.isnan(found.r2)]) == {3, 4}


def test_every_selector_has_its_page(tmp_path: Path) -> None:
    X = np.abs(low_rank(n=40)) + 0.1
    for method in list_methods("selector"):
        if "n_features_to_select" not in method.defaults():
            continue
        est = method.load()(n_features_to_select=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            est.fit(X)
        page = Page(page_of(result_for(est, X, X=X, method=method.name), tmp_path))
        assert page.headings[-1] == "How to repeat"
        assert {"Chosen columns", "Dropped columns and what explains them"} <= set(page.headings)
        chosen = [f"c{j}" for j in est.ranking_[:3]]
        assert [name for name in page.names if name in chosen][:3] == chosen
        objectives = [record["objective"] for record in getattr(est, "history_", [])]
        if len(objectives) != 1:
            moved = bool(objectives) and np.ptp(objectives) > 1e-9 * np.abs(objectives).max()
            assert ("Convergence" in page.headings) == moved


def test_every_method_says_what_its_scores_are() -> None:
    assert set(SCORED) == {method.class_name for method in list_methods("selector")}


@pytest.mark.parametrize("name", [m.name for m in list_methods("selector")])
def test_scores_that_are_positions_are_not_drawn(name: str) -> None:
    X = np.random.default_rng(0).standard_normal((30, 5)) * [1, 2, 3, 4, 5]
    cls = get_method(name).load()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        est = cls().fit(X)
    positions = est.scores_[est.ranking_].tolist() == np.linspace(1, 0, 5).tolist()
    assert positions == cls.ranks_only
    assert (_scores(est) is None) == cls.ranks_only


def test_scores_are_explained_and_summed(tmp_path: Path) -> None:
    X, _ = blobs()
    est = BLUFS(5, n_clusters=4).fit(X)
    html = page_of(result_for(est, X, X=X), tmp_path)
    assert "by how much the objective would rise without it" in html
    data = payload(html)
    step = data["steps"][data["start"]]
    assert step["columns"] == est.ranking_[:5].tolist()
    assert len(step["reconstruction"]["columns"]) == 7
    share = float(step["sums"][-1].split("\u202f")[0])
    assert share == pytest.approx(100 * explained(X, est.ranking_[:5]), abs=0.06)


# Weights of groups ---------------------------------------------------------------------------


def test_weights_are_turned_to_the_groups() -> None:
    X, y = blobs()
    est = BLUFS(6, n_clusters=4).fit(X)
    found = column_weights(est)
    np.testing.assert_array_equal(found.columns, est.ranking_[:6])
    np.testing.assert_array_equal(found.sizes, [60, 40, 30, 20])
    np.testing.assert_allclose(found.norms, np.linalg.norm(found.weights, axis=1), rtol=1e-12)
    np.testing.assert_allclose(found.norms, np.linalg.norm(est.coef_.T[found.columns], axis=1))
    Z = StandardScaler().fit_transform(X)[:, found.columns] @ found.weights
    for group in range(4):  # each column draws its own group's samples, more than any other's
        means = [Z[y == cluster, group].mean() for cluster in range(4)]
        assert np.argmax(means) == np.flatnonzero(np.bincount(y) == found.sizes[group])[0]


def test_exchanges_are_told(tmp_path: Path) -> None:
    X, _ = blobs()
    est = BLUFS(3, n_clusters=4).fit(X)
    est.support_path_ = np.array([[0, 1, 2], [0, 3, 4], [0, 3, 4], [0, 3, 5], [0, 3, 5]])
    html = page_of(result_for(est, X, X=X), tmp_path)
    assert "Columns exchanged in steps 1 to 3: 2, 0, 1; none after that." in html
    est.support_path_ = est.support_path_[1:3]
    html = page_of(result_for(est, X, X=X), tmp_path)
    assert "The columns stayed those of the start." in html


def test_weights_do_not_hang_on_the_rotation_of_the_embedding() -> None:
    X, _ = blobs()
    est = BLUFS(6, n_clusters=4).fit(X)
    before = column_weights(est).weights
    R = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    est.coef_, est.embedding_ = R.T @ est.coef_, est.embedding_ @ R
    np.testing.assert_allclose(column_weights(est).weights, before, atol=1e-10)


def test_empty_groups_are_left_out() -> None:
    X, _ = blobs()
    est = BLUFS(6, n_clusters=6).fit(X)
    est.pseudo_labels_ = est.pseudo_labels_ // 3
    view = groups_view(est, [f"c{j}" for j in range(12)])
    assert view is not None
    assert view["size"] == 2
    assert "2 groups" in view["summary"]


def test_section_of_groups(tmp_path: Path) -> None:
    X, _ = blobs()
    html = page_of(result_for(BLUFS(6, n_clusters=4).fit(X), X, X=X), tmp_path)
    page = Page(html)
    assert "Weights of the chosen columns" in page.headings
    cells = [a for t, a in page.tags if t == "td" and "cell " in (a.get("class") or "")]
    assert len(cells) == 6 * 4
    assert all(re.fullmatch(r"group \d: .\d\.\d\d", a["title"] or "") for a in cells)
    strengths = [float((a["style"] or "").removeprefix("--a:")) for a in cells]
    assert max(strengths) == 1.0


# Concepts ------------------------------------------------------------------------------------


def parts(n: int = 80) -> np.ndarray:
    """Samples made of one of four groups of five columns each, and a little of everything."""
    rng = np.random.default_rng(0)
    on = np.arange(n)[:, None] % 4 == np.arange(20) // 5
    return rng.uniform(0, 0.2, (n, 20)) + on * rng.uniform(0.5, 1, (n, 1))


def test_concepts_over_samples_and_columns() -> None:
    X = parts()
    est = LSDCL(10, n_concepts=4, random_state=0).fit(X)
    names = [f"c{j}" for j in range(20)]
    view = concepts_view(result_for(est, X, names), names)
    assert view is not None
    carried = np.linalg.norm(est.sample_concepts_, axis=0) * np.linalg.norm(
        est.feature_concepts_, axis=0
    )
    first = int(carried.argmax())
    assert view["rows"][0]["columns"][0][0] == f"c{est.components_.T[:, first].argmax()}"
    assert view["rows"][0]["samples"][0][0] == f"row {est.T_[:, first].argmax()}"
    lines = picture(view["samples"])
    assert lines.shape == (80, 4, 4)
    assert [g["size"] for g in view["groups"]] == ["20"] * 4
    assert "alike" not in view["summary"]
    est.feature_concepts_ = est.feature_concepts_ * [1.0, 100.0, 1.0, 0.01]  # a scale means nothing
    est.sample_concepts_ = est.sample_concepts_ / [1.0, 100.0, 1.0, 0.01]
    again = concepts_view(result_for(est, X, names), names)
    assert again is not None
    np.testing.assert_allclose(picture(again["samples"]), lines, atol=0.01)
    strongest = lines[..., 3].argmax(axis=1)
    assert (np.diff(strongest) >= 0).all(), "samples stand with the concept they have most of"


def test_section_of_concepts(tmp_path: Path, digits: np.ndarray) -> None:
    est = LSDCL(10, n_concepts=5, random_state=0).fit(digits)
    result = result_for(est, digits, X=digits, image=ImageShape(8, 8))
    page = Page(page_of(result, tmp_path))
    assert {"Concepts", "Where the chosen pixels lie", "Convergence"} <= set(page.headings)
    pictures = [a for t, a in page.tags if t == "img"]
    assert len(pictures) == 5 + 1
    assert all(a["alt"] for a in pictures)
    assert all((a["src"] or "").startswith("data:image/png;base64,") for a in pictures)


def test_concepts_that_are_alike_are_told() -> None:
    X = parts()
    est = LSDCL(10, n_concepts=4, random_state=0).fit(X)
    est.feature_concepts_ = est.feature_concepts_[:, :1] * [1.0, 2.0, 3.0, 4.0]
    names = [f"c{j}" for j in range(20)]
    view = concepts_view(result_for(est, X, names), names)
    assert view is not None
    assert "nearly alike (mean correlation over the samples 1.00)" in view["summary"]


def test_empty_concepts_are_counted(digits: np.ndarray) -> None:
    est = LSDCL(10, n_concepts=4, random_state=0).fit(digits)
    est.components_.T[:, 2] = est.feature_concepts_[:, 2] = 0
    names = [f"c{j}" for j in range(64)]
    view = concepts_view(result_for(est, digits, names), names)
    assert view is not None
    assert len(view["rows"]) == 3
    assert "1 of 4 came out empty" in view["summary"]


# Pixels --------------------------------------------------------------------------------------


def test_pictures_are_what_they_show() -> None:
    values = np.array([[0.0, 1.0, -2.0], [2.0, 0.5, 0.0]])
    gray = picture(gray_picture(values))
    np.testing.assert_allclose(gray, np.round(255 * (values + 2) / 4) / 255, atol=1e-3)
    both = picture(signed_picture(values))
    np.testing.assert_allclose(both[..., 3], np.abs(values) / 2, atol=3e-3)
    assert (both[..., 2] > both[..., 0])[values > 0].all()
    assert (both[..., 0] > both[..., 2])[values < 0].all()


@pytest.mark.parametrize("down", [False, True])
def test_pixels_lie_where_the_columns_are(digits: np.ndarray, down: bool) -> None:
    X = digits.reshape(-1, 8, 8)[:, :, :6]
    X = (X.transpose(0, 2, 1) if down else X).reshape(len(X), 48)
    est = BLUFS(7, n_clusters=5).fit(X)
    names = [f"c{j}" for j in range(48)]
    means = X.mean(axis=0)
    result = result_for(est, X, names, image=ImageShape(8, 6, down), column_means=means)
    view = pixels_view(result, names)
    assert view is not None
    on = np.zeros((8, 6))
    for mark, j in zip(view["marks"], est.ranking_[:7]):
        assert mark["title"].endswith(f" c{j}")
        on[mark["y"], mark["x"]] += 1
    norms = np.linalg.norm(est.coef_, axis=0)
    image = norms.reshape(6, 8).T if down else norms.reshape(8, 6)
    np.testing.assert_array_equal(on, image > 0)
    np.testing.assert_allclose(
        picture(view["heat"]["picture"])[..., 3], image / image.max(), atol=3e-3
    )
    ground = picture(view["ground"])
    original = digits.reshape(-1, 8, 8)[:, :, :6].mean(axis=0)
    np.testing.assert_allclose(ground, original / original.max(), atol=3e-3)


def test_scores_of_all_pixels_where_there_are_no_weights(digits: np.ndarray) -> None:
    est = LaplacianScore(7).fit(digits)
    result = result_for(est, digits, image=ImageShape(8, 8))
    view = pixels_view(result, [f"c{j}" for j in range(64)])
    assert view is not None
    assert view["ground"] is None
    assert (view["heat"] is None) == (not np.isfinite(est.scores_).all())


def test_an_image_of_another_size_is_refused() -> None:
    X = low_rank()
    est = LaplacianScore(3).fit(X)
    with pytest.raises(ValueError, match="image=3x5 has 15 pixels and the table 12 columns"):
        result_for(est, X, image=ImageShape(3, 5))


def test_no_new_section_without_its_data(tmp_path: Path) -> None:
    X = low_rank()
    result: SelectionResult = result_for(LaplacianScore(3).fit(X), X, X=X)
    headings = Page(page_of(result, tmp_path)).headings
    assert not {"Concepts", "Where the chosen pixels lie", "Weights of the chosen columns"} & set(
        headings
    )
