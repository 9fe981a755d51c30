"""Projection matrix approximation: partitions found, and the choice of the weight."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sksieve import BPMA, PPMA, SPMA
from sksieve.clustering import Starts, partition_score, select_lam
from sksieve.datasets import largest_component, load, make_sbm
from sksieve.metrics import clustering_accuracy, nmi
from sksieve.papers import AffinityEigenvectors

from .rpma_cases import blobs

PATH = Starts(begin="path", n_rounds=0)


def test_iris():
    iris = load("iris")
    est = BPMA(3, random_state=0).fit(iris.X)
    assert clustering_accuracy(iris.y, est.labels_) >= 0.92


def test_political_blogs(real_data):
    graph = largest_component(real_data("graph_polblogs"))
    est = BPMA(2, affinity="precomputed", random_state=0).fit(graph.adjacency)
    assert clustering_accuracy(graph.y, est.labels_) >= 0.95
    assert nmi(graph.y, est.labels_) >= 0.72


@pytest.mark.parametrize(
    ("n", "K", "p_in", "p_out", "draws", "least"),
    [(40, 2, 0.65, 0.40, 30, 0.01), (200, 4, 0.40, 0.20, 8, 0.03)],
)
def test_block_models_gain(n, K, p_in, p_out, draws, least):
    """Accuracy of BPMA above that of the leading eigenvectors, mean over the draws."""
    gain = []
    for seed in range(draws):
        A, y = make_sbm(n, K, p_in, p_out, random_state=seed)
        options = {"affinity": "precomputed", "random_state": seed}
        plain = AffinityEigenvectors(K, **options).fit(A)
        est = BPMA(K, **options).fit(A)
        gain.append(clustering_accuracy(y, est.labels_) - clustering_accuracy(y, plain.labels_))
    assert np.mean(gain) >= least


def test_handwritten_digits(real_data):
    data = real_data("mfeat_pix")
    X, y = data.X[data.y < 5], data.y[data.y < 5]
    for model in (SPMA, PPMA):
        est = model(5, starts=PATH, tol=1e-3, random_state=0).fit(X)
        assert clustering_accuracy(y, est.labels_) >= 0.947
        assert nmi(y, est.labels_) >= 0.86


def test_objects(real_data):
    data = real_data("COIL20")
    X, y = data.X[data.y < 10], data.y[data.y < 10]
    few = {"starts": Starts(begin="spectral", n_partitions=0, n_rounds=0), "tol": 1e-3}
    est = SPMA(10, random_state=0, **few).fit(X)
    assert clustering_accuracy(y, est.labels_) >= 0.605
    assert nmi(y, est.labels_) >= 0.65


def test_weight_is_chosen_by_what_the_partition_catches_of_A():
    """Every score by its definition, the diagonal left out."""
    X, _ = blobs(spread=2.0)
    est = SPMA(3, random_state=0)
    lams = [0.1, 1.0, 3.0]
    choice = select_lam(est, X, lams)
    assert est.lam is None
    assert not hasattr(est, "labels_")
    assert list(choice.scores) == lams
    for lam in lams:
        one = SPMA(3, lam=lam, random_state=0).fit(X)
        A = one.affinity_.toarray() - np.eye(60)
        blocks = [A[np.ix_(one.labels_ == c, one.labels_ == c)] for c in range(3)]
        assert_allclose(choice.scores[lam], sum(block.sum() / len(block) for block in blocks))
    assert choice.scores[choice.lam] == max(choice.scores.values())
    assert choice.estimator.lam == choice.lam


def test_no_weights_to_choose_from():
    with pytest.raises(ValueError, match="lams is empty"):
        select_lam(SPMA(3), blobs()[0], [])


def test_choice_helps_on_digits():
    """At 0.5 .898/.780; no label is used here either."""
    digits = load("digits")
    X, y = digits.X[digits.y < 5], digits.y[digits.y < 5]
    est = SPMA(5, starts=PATH, tol=1e-3, random_state=0)
    choice = select_lam(est, X, [0.5, 0.75])
    assert choice.lam == 0.75
    assert clustering_accuracy(y, choice.estimator.labels_) >= 0.905
    assert nmi(y, choice.estimator.labels_) >= 0.79


def test_where_the_score_fails():
    """On a noisy graph the planted partition catches less of A than the one that is found."""
    lower = []
    for seed in range(10):
        A, y = make_sbm(40, 2, 0.55, 0.45, random_state=seed)
        est = SPMA(2, affinity="precomputed", random_state=seed).fit(A)
        assert clustering_accuracy(y, est.labels_) < 1
        lower.append(partition_score(A, y) < partition_score(A, est.labels_))
    assert np.mean(lower) >= 0.9
