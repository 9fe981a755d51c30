"""The drawing of a small graph, and groups beyond the eighth."""

import numpy as np

from sksieve import SpectralCommunities
from sksieve.datasets import make_sbm
from sksieve.report import clustering_report


def test_the_page_has_every_vertex_and_marks_more_groups_than_colors():
    A, _ = make_sbm(60, 10, 0.9, 0.01, random_state=0)
    est = SpectralCommunities(10, affinity="precomputed", random_state=0).fit(A)
    html = clustering_report(est, A).html
    assert html.count('<i class="vertex ') == 60
    assert html.count("l1") > html.count("community 8,") >= 1
    for k in range(10):
        style = f"vertex d{k % 8} l{k // 8}"
        assert html.count(f'<i class="{style}"') == np.sum(est.labels_ == k)
    assert 'class="dots core1"' in html
