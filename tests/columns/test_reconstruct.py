"""Score, reconstruction and data frames of a fit, against the same by hand."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score

from sksieve import GreedyCSS, IterFS, RandomCSS
from sksieve.exceptions import DataError

X = load_wine().data
TRAIN, TEST = X[::2], X[1::2]


def by_hand(est, scale, ridge):
    """Score on TEST by least squares on the scaled training rows."""
    S = est.ranking_[: est.n_features_to_select_]
    center = TRAIN.mean(axis=0) if scale == "standard" else np.zeros(X.shape[1])
    length = np.linalg.norm(TRAIN - center, axis=0) if scale != "none" else np.ones(X.shape[1])
    A, B = (TRAIN - center) / length, (TEST - center) / length
    penalty = np.sqrt(ridge) * np.eye(len(S))
    left = np.vstack([A[:, S], penalty]), np.vstack([A, np.zeros((len(S), X.shape[1]))])
    residual = B - B[:, S] @ np.linalg.lstsq(*left)[0]
    residual[:, S] = 0.0
    return 1 - (residual**2).sum() / (B**2).sum()


@pytest.mark.parametrize("scale", ["standard", "unit", "none"])
@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_score_is_that_by_hand(scale, ridge):
    est = GreedyCSS(4, scale=scale, ridge=ridge).fit(TRAIN)
    expected = by_hand(est, scale, ridge)
    assert est.score(TEST) == pytest.approx(expected, abs=1e-10)
    assert est.score(sp.csr_array(TEST)) == pytest.approx(expected, abs=1e-10)


def test_score_of_the_fitted_rows_is_what_the_fit_explains():
    est = GreedyCSS(4).fit(X)
    assert est.score(X) == pytest.approx(1 - est.objective_ / est.error_path_[0], abs=1e-10)


@pytest.mark.parametrize("solver", ["gram", "factored"])
def test_reconstruction_of_new_rows(solver):
    est = GreedyCSS(4, solver=solver).fit(TRAIN)
    S = est.get_support(indices=True)
    at = np.argsort(est.ranking_[:4])
    expected = TEST[:, S] @ est.coef_[:, at].T + est.intercept_
    for Z in (est.transform(TEST), est.transform(sp.csr_array(TEST))):
        back = est.reconstruct(Z)
        assert_allclose(back, expected, rtol=1e-10)
        assert_array_equal(back[:, S], TEST[:, S])
        assert_array_equal(est.inverse_transform(Z), back)


def test_reconstruction_refuses_other_columns():
    pd = pytest.importorskip("pandas")
    frame = load_wine(as_frame=True).data
    est = GreedyCSS(3).set_output(transform="pandas").fit(frame)
    Z = est.transform(frame)
    assert_allclose(est.reconstruct(Z), est.reconstruct(Z.to_numpy()))
    with pytest.raises(DataError, match="other columns than transform returns"):
        est.reconstruct(Z[Z.columns[::-1]])
    with pytest.raises(DataError, match="Z has 13 columns; 3 were chosen"):
        est.reconstruct(X)
    assert isinstance(Z, pd.DataFrame)


def test_grid_search_and_cross_validation():
    search = GridSearchCV(IterFS(random_state=0), {"n_features_to_select": [2, 4, 8]}, cv=3).fit(X)
    means = search.cv_results_["mean_test_score"]
    assert means[0] < means[1] < means[2] <= 1
    assert search.best_params_ == {"n_features_to_select": 8}
    greedy, drawn = (
        cross_val_score(est, load_breast_cancer().data, cv=3).mean()
        for est in (GreedyCSS(5), RandomCSS(5, random_state=0))
    )
    assert greedy > drawn


def test_frames_have_names():
    pytest.importorskip("pandas")
    frame = load_wine(as_frame=True).data
    est = GreedyCSS(3).fit(frame)
    path = est.path_frame()
    assert path.index.name == "size"
    assert list(path.columns) == ["columns", "error", "train_explained", "bound"]
    assert path.loc[2, "columns"] == ["flavanoids", "color_intensity"]
    assert path.loc[3, "error"] == est.objective_
    assert path.loc[3, "train_explained"] == pytest.approx(est.score(frame), abs=1e-10)
    assert (path["bound"] <= path["error"]).all()
    explained = est.explained_frame()
    assert list(explained.index[:3]) == [str(est.feature_names_in_[j]) for j in est.ranking_[:3]]
    assert explained["chosen"].sum() == 3
    assert_array_equal(explained["train_explained"], est.explained_by_[explained["place"]])
    assert list(GreedyCSS(2).fit(X).explained_frame().index[:2]) == ["x6", "x9"]
