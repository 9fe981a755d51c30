"""Labels by pivoted QR."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import adjusted_rand_score

from sksieve.graphs import labels_by_qr


def basis(labels, noise, seed=0):
    rng = np.random.RandomState(seed)
    Y = np.eye(labels.max() + 1)[labels] + noise * rng.standard_normal(
        (len(labels), 1 + max(labels))
    )
    return np.linalg.qr(Y)[0], np.linalg.qr(rng.standard_normal((Y.shape[1],) * 2))[0]


@pytest.mark.parametrize("noise", [0, 0.05, 0.15])
def test_clusters_are_found_from_any_rotation(noise):
    labels = np.repeat([0, 1, 2, 3], [5, 20, 11, 30])
    Y, R = basis(labels, noise)
    for turned in (Y, Y @ R, -Y[:, ::-1]):
        assert adjusted_rand_score(labels_by_qr(turned), labels) == 1


def test_one_cluster_and_as_many_as_samples():
    assert_array_equal(labels_by_qr(np.full((4, 1), 0.5)), 0)
    assert len(set(labels_by_qr(np.eye(5)))) == 5
