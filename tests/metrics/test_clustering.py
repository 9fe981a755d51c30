"""Accuracy, mutual information and projector distance, against their definitions."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sksieve.metrics import clustering_accuracy, nmi, projector_distance

AVERAGES = {
    "max": max,
    "min": min,
    "mean": lambda a, b: (a + b) / 2,
    "sqrt": lambda a, b: np.sqrt(a * b),
}


@st.composite
def two_partitions(draw, max_labels=4):
    n = draw(st.integers(1, 25))
    label = st.integers(0, max_labels - 1)
    return tuple(np.array(draw(st.lists(label, min_size=n, max_size=n))) for _ in range(2))


def best_map_by_trying_all(y_true, y_pred):
    """Every injective map of clusters to classes; dummies stand for "no class"."""
    classes, clusters = np.unique(y_true), np.unique(y_pred)
    targets = list(classes) + [None] * len(clusters)
    best = 0.0
    for chosen in set(permutations(targets, len(clusters))):
        name = dict(zip(clusters, chosen, strict=True))
        best = max(best, np.mean([name[p] == t for p, t in zip(y_pred, y_true, strict=True)]))
    return best


def entropy(*labels):
    _, counts = np.unique(np.column_stack(labels), axis=0, return_counts=True)
    p = counts / counts.sum()
    return -np.sum(p * np.log(p))


def projector(labels):
    F = (labels[:, None] == np.unique(labels)).astype(float)
    return F @ np.linalg.inv(F.T @ F) @ F.T


@given(two_partitions(max_labels=3))
def test_accuracy_is_the_best_of_all_maps(pair):
    assert clustering_accuracy(*pair) == pytest.approx(best_map_by_trying_all(*pair), abs=1e-12)


@given(two_partitions(), st.randoms(use_true_random=False))
def test_agreement_does_not_depend_on_names_or_order(pair, random):
    a, b = pair
    names = list(range(10))
    random.shuffle(names)
    order = list(range(len(a)))
    random.shuffle(order)
    renamed, shuffled = np.array(names)[b], (a[order], b[order])
    for measure in (clustering_accuracy, nmi, projector_distance):
        value = measure(a, b)
        assert measure(a, renamed) == pytest.approx(value, abs=1e-7)
        assert measure(*shuffled) == pytest.approx(value, abs=1e-7)
        assert measure(b, a) == pytest.approx(value, abs=1e-7)
    assert clustering_accuracy(a, np.array(names)[a]) == 1.0
    assert projector_distance(a, np.array(names)[a]) == 0.0


def test_unmatched_clusters_and_classes_count_as_wrong():
    one_each = list(range(6))
    assert clustering_accuracy([0, 0, 0, 1, 1, 1], one_each) == pytest.approx(2 / 6)
    assert clustering_accuracy(one_each, [0, 0, 0, 1, 1, 1]) == pytest.approx(2 / 6)
    assert clustering_accuracy([0, 0, 1], [0, 0, 0]) == pytest.approx(2 / 3)


@pytest.mark.parametrize("average", list(AVERAGES))
@given(pair=two_partitions())
def test_nmi_is_its_formula(average, pair):
    a, b = pair
    H_a, H_b = entropy(a), entropy(b)
    divisor, shared = AVERAGES[average](H_a, H_b), H_a + H_b - entropy(a, b)
    expected = shared / divisor if divisor > 1e-12 else float(H_a == H_b == 0)
    value = nmi(a, b, average=average)
    assert value == pytest.approx(expected, abs=1e-9)
    assert 0.0 <= value <= 1.0


@given(two_partitions())
def test_nmi_averages_are_ordered(pair):
    low, *rest = (nmi(*pair, average=average) for average in ("max", "mean", "sqrt"))
    assert all(low <= value + 1e-12 for value in rest)


def test_nmi_of_single_clusters():
    assert nmi([3, 3, 3], ["a", "a", "a"]) == 1.0
    assert [nmi([0, 0, 1], [0, 0, 0], average=average) for average in AVERAGES] == [0.0] * 4


@pytest.mark.parametrize("average", list(AVERAGES))
def test_nmi_of_the_same_partition_is_never_above_one(average):
    rng = np.random.default_rng(0)
    for _ in range(300):
        a = rng.integers(0, rng.integers(1, 8), rng.integers(2, 40))
        assert 1 - 1e-12 < nmi(a, rng.permutation(10)[a], average=average) <= 1


@given(two_partitions())
@example((np.array([0, 1]), np.array([1, 0])))
def test_projector_distance_is_the_norm_of_the_difference(pair):
    a, b = pair
    P, Q = projector(a), projector(b)
    expected = np.linalg.norm(P - Q)
    assert projector_distance(a, b) == pytest.approx(expected, abs=1e-7)
    for first in (a, P):
        for second in (b, Q):
            if len(a) > 1:
                assert projector_distance(first, second) == pytest.approx(expected, abs=1e-7)


def test_projector_distance_of_as_many_clusters_as_samples_fills_no_table():
    n = 300_000  # n x n numbers would not fit anywhere
    order = np.random.default_rng(0).permutation(n)
    assert projector_distance(np.arange(n), order) == 0.0
    pairs = np.arange(n) // 2
    assert projector_distance(np.arange(n), pairs) == pytest.approx(np.sqrt(n / 2), rel=1e-12)


def test_projector_distance_of_bases():
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.standard_normal((30, k)))[0] for k in (3, 5))
    labels = np.arange(30) % 4
    expected = np.linalg.norm(U @ U.T - V @ V.T)
    assert projector_distance(U, V) == pytest.approx(expected, rel=1e-12)
    assert projector_distance(U, V @ V.T) == pytest.approx(expected, rel=1e-12)
    expected = np.linalg.norm(projector(labels) - U @ U.T)
    assert projector_distance(labels, U) == pytest.approx(expected, rel=1e-12)
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    assert projector_distance(U, U @ rotation) < 1e-14


def test_projector_distance_keeps_its_digits_when_small():
    """One basis turned by a tiny angle t: the distance is sqrt(2) sin t."""
    e = np.eye(40)
    for t in (1e-3, 1e-8, 1e-12):
        V = np.column_stack([np.cos(t) * e[0] + np.sin(t) * e[5], e[1]])
        assert projector_distance(e[:, :2], V) == pytest.approx(np.sqrt(2) * t, rel=1e-5, abs=0)


@pytest.mark.parametrize("measure", [clustering_accuracy, nmi, projector_distance])
@pytest.mark.parametrize(("a", "b"), [([0, 1], [0, 1, 1]), ([], [])])
def test_labels_that_do_not_fit_are_refused(measure, a, b):
    with pytest.raises(ValueError, match=r"labels|label per sample"):
        measure(a, b)


def test_refusals_name_what_is_wrong():
    with pytest.raises(ValueError, match="y_pred must be one label per sample"):
        clustering_accuracy([0, 1], [[0], [1]])
    with pytest.raises(ValueError, match="y_true has 3 labels and y_pred has 2"):
        clustering_accuracy([0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match="average must be one of max, sqrt, mean, min"):
        nmi([0, 1], [0, 1], average="median")
    with pytest.raises(ValueError, match="columns of P must be orthonormal"):
        projector_distance(np.ones((3, 2)), [0, 0, 1])
    with pytest.raises(ValueError, match="P is for 4 samples and Q for 3"):
        projector_distance(np.eye(4), [0, 0, 1])
    with pytest.raises(ValueError, match="Q must be labels"):
        projector_distance([0, 1], np.ones((2, 3)))
