"""Whatever users can name is text on every page: no markup, no script, no control characters."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from sksieve import BLUFS, LSDCL, GreedyCSS, MixedColumns, SpectralGraph
from sksieve.evaluation import comparisons, partition
from sksieve.evaluation._half_samples import HalfSamples
from sksieve.metrics import LabelAgreement
from sksieve.report import (
    ClusteringResult,
    ComparisonResult,
)

from .pages import Page, low_rank, page_of, result_for

#: What no page may hold as it stands, and what ends scripts, attributes and templates.
HOSTILE = "</script><img src=x onerror=alert(1)>\"'`{{7*7}}{% raw %}<!--\x00\x1b[31m\ud800\u2028"
MARKUP = re.compile(r"<img src=x|onerror=alert\(1\)>\"|\x00|\x1b|\ud800")
TEXTS = ("method", "command", "data_name", "data_sha256", "loading")


def check(html: str) -> None:
    Page(html)  # balanced
    assert not MARKUP.search(html)
    assert "{{7*7}}" in html, "not evaluated"
    assert "49" not in re.findall(r"<h1>.*?</h1>", html, re.S)[0]
    for start in re.finditer(r'<script type="application/json" id="\w+">', html):
        json.loads(html[start.end() : html.index("</script>", start.end())])


@pytest.mark.parametrize(
    "est",
    [
        GreedyCSS(4, scale="standard"),
        BLUFS(4, n_clusters=3),
        LSDCL(4, n_concepts=3, random_state=0),
        MixedColumns(3, groups=[f"{HOSTILE}{j // 2}" for j in range(12)]),
    ],
    ids=lambda est: type(est).__name__,
)
def test_selection(est, tmp_path):
    X = np.abs(low_rank())
    names = [f"{HOSTILE}{j}" for j in range(12)]
    texts = dict.fromkeys((*TEXTS, "headline", "proof"), HOSTILE)
    texts["loading"] = f"X = ...  # {HOSTILE}"
    k = int(est.n_features_to_select)
    stability = HalfSamples(20, names[:k], [1] * k, names[:k], HOSTILE)
    result = result_for(
        est.fit(X), X, names, notes=(HOSTILE,), number=(HOSTILE,), stability=stability, **texts
    )
    check(page_of(result, tmp_path))


@pytest.mark.parametrize("is_graph", [False, True])
def test_clustering(is_graph, tmp_path):
    X = low_rank()
    est = SpectralGraph(n_clusters=3, random_state=0).fit(X)
    table = {} if is_graph else {"X": X, "feature_names": [HOSTILE] * 12, "scale": "none"}
    result = ClusteringResult(
        est,
        partition(est.affinity_, est.labels_, None if is_graph else X),
        seconds=0.1,
        seed=0,
        names=[f"{HOSTILE}{i}" for i in range(len(X))],
        notes=(HOSTILE,),
        number=(HOSTILE,),
        stability=HOSTILE,
        against=LabelAgreement(HOSTILE, 0.5, 0.5, 2, 60),
        **dict.fromkeys(TEXTS, HOSTILE) | {"loading": f"A = ...  # {HOSTILE}"},
        **table,
    )
    check(page_of(result, tmp_path))


def test_comparison(tmp_path):
    X = low_rank()
    rows = comparisons(X, 3, ["greedy", "variance"])
    rows = [rows[0]._replace(refused=HOSTILE), rows[1]]
    result = ComparisonResult(
        rows, [HOSTILE] * 12, 3, HOSTILE, HOSTILE, n_samples=60, command=HOSTILE, notes=(HOSTILE,)
    )
    check(page_of(result, tmp_path))
