"""Each protocol against its definition, written out here once more."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from sksieve.bench import Data, Store, parse_spec, result_table, results, run_spec
from sksieve.bench._cells import Item, seed_of
from sksieve.bench._data import table
from sksieve.bench._scores import LEVELS
from sksieve.datasets import load, make_sbm
from sksieve.exceptions import RankDeficiencyWarning
from sksieve.metrics import clustering_accuracy, error_ratio, nmi, projector_distance

from . import own_methods

OWN = "tests.bench.own_methods:"
SBM = {"name": "sbm", "n_nodes": 40, "n_blocks": 2, "p_in": 0.65, "p_out": 0.40}


def make(protocol, *methods, datasets=("iris",), **more):
    entries = [{"name": m} if isinstance(m, str) else m for m in methods]
    return parse_spec({"protocol": protocol, "datasets": list(datasets), "method": entries, **more})


def run(spec, tmp_path):
    with Store(tmp_path / "store") as store:
        run_spec(spec, store)
        return results(spec, store)


@pytest.fixture(autouse=True)
def _no_fits_yet():
    own_methods.FITS.clear()


def test_blufs_clusters_the_raw_columns_that_the_method_saw_standardized(tmp_path):
    from sklearn.cluster import KMeans

    spec = make("blufs", OWN + "Nested", scale="standard", k=[2], repeats=3, datasets=["wine"])
    frame = run(spec, tmp_path)
    wine = load("wine")
    (task,) = spec.tasks()
    for row, item in zip(frame.itertuples(), task.items):
        means = KMeans(3, n_init=1, random_state=item.seed(task.cell)).fit(wine.X[:, :2])
        assert row.acc == clustering_accuracy(wine.y, means.labels_)
        assert row.nmi == nmi(wine.y, means.labels_)
        assert row.nmi_sqrt == nmi(wine.y, means.labels_, average="sqrt")
    assert own_methods.SEEN[-1].std(axis=0) == pytest.approx(1)


def test_default_clusters_the_columns_as_the_method_saw_them_ten_starts_each(tmp_path):
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import StandardScaler

    spec = make("default", OWN + "Nested", scale="standard", k=[5], repeats=3, datasets=["digits"])
    frame, (task,) = run(spec, tmp_path), spec.tasks()
    digits = load("digits")
    Z, differs = StandardScaler().fit_transform(digits.X)[:, :5], []
    for row, item in zip(frame.itertuples(), task.items):
        seed = item.seed(task.cell)
        ten, one = (KMeans(10, n_init=n, random_state=seed).fit(Z).labels_ for n in (10, 1))
        assert row.acc == clustering_accuracy(digits.y, ten)
        differs.append(nmi(ten, one) < 1)
    assert any(differs)


def test_what_the_protocols_vary_unless_a_spec_says_otherwise():
    blufs = next(make("blufs", "lapscore", datasets=["digits"]).tasks())
    assert {item.k for item in blufs.items} == {10, 20, 30, 40, 50, 60}, "digits has 64 columns"
    assert len(blufs.items) == 6 * 10
    small, large = make("lsdcl", "lapscore", datasets=["wine", "digits"]).tasks()
    assert {item.k for item in small.items} == set(range(1, 10)), "wine has 13 columns"
    assert {item.k for item in large.items} == set(range(5, 51, 5))
    assert len(small.items) == 9 * 20
    assert [len(t.items) for t in make("css", "pocss", datasets=["digits"]).tasks()] == [1] * 10


def test_all_columns_are_scored_once_and_stand_beside_every_k(tmp_path):
    spec = make("lsdcl", "all_columns", "variance", datasets=["wine"], repeats=2)
    assert [len(task.items) for task in spec.tasks()] == [2, 18]
    frame = run(spec, tmp_path)
    floor = frame[frame["method"] == "all_columns"]
    assert sorted(floor["k"]) == sorted(2 * list(range(1, 10)))
    assert floor.groupby("repeat")["acc"].nunique().max() == 1
    made = result_table(frame, spec.rules)
    assert (made.status == "ok").all(axis=None)
    assert made.mean["all_columns"].nunique() == 1


def test_lsdcl_shows_both_normalizations():
    assert make("lsdcl", "variance").rules.shows == ("acc", "nmi_sqrt", "nmi")


def test_neighbors_classify_the_same_halves_for_every_method(tmp_path):
    from sklearn.model_selection import ShuffleSplit
    from sklearn.neighbors import KNeighborsClassifier

    twin = {"name": OWN + "Nested", "label": "twin", "scale": "standard"}
    spec = make("blufs-knn", OWN + "Nested", twin, k=[2], repeats=3)
    frame = run(spec, tmp_path)
    a, b = (frame.loc[frame["method"] == name, "knn_acc"].tolist() for name in ("Nested", "twin"))
    assert a == b
    X, y = load("iris").X[:, :2], load("iris").y
    for repeat, found in enumerate(a):
        names = {"classes": None, "dataset": "iris", "scale": "none"}
        split = ShuffleSplit(
            1, train_size=0.5, test_size=0.5, random_state=seed_of(names, "knn", repeat)
        )
        ((learn, test),) = split.split(X)
        assert found == KNeighborsClassifier(5).fit(X[learn], y[learn]).score(X[test], y[test])


def test_ablation_shows_the_best_k(tmp_path):
    off = {"name": "blufs", "label": "beta off", "parameters": {"beta": 0.0}}
    spec = make("blufs-ablation", "blufs", off, datasets=["wine"], k=[1, 4, 12], repeats=2)
    frame = run(spec, tmp_path)
    made = result_table(frame, spec.rules)
    best = frame.groupby(["method", "k"])["acc"].mean().groupby("method").max()
    assert made.mean.index.names == ["dataset"]
    assert made.mean.iloc[0].to_dict() == pytest.approx(best.to_dict())


def test_random_graphs_are_the_same_for_all_methods_and_different_from_draw_to_draw(tmp_path):
    spec = make("rpma-sbm", "sdp2", OWN + "Blocks", datasets=[SBM], draws=3)
    frame = run(spec, tmp_path)
    options = {key: SBM[key] for key in ("n_nodes", "n_blocks", "p_in", "p_out")}
    graphs = own_methods.SEEN[-3:]
    for draw in range(3):
        A, _ = make_sbm(**options, random_state=seed_of("draw", "sbm", draw))
        assert abs(A - graphs[draw]).max() == 0
    assert abs(graphs[0] - graphs[1]).max() == 1
    assert frame["repetition"].tolist() == [0, 1, 2] * 2
    assert set(frame["dataset"]) == {"sbm(n_blocks=2, n_nodes=40, p_in=0.65, p_out=0.4)"}


def test_projector_distance_is_that_of_the_basis_behind_the_labels(tmp_path):
    spec = make("rpma-sbm", "bpma", "louvain", datasets=[SBM], draws=2)
    with Store(tmp_path) as store:
        run_spec(spec, store)
        frame = results(spec, store)
        assert store.forget_scores() > 0
        run_spec(spec, store)
        assert results(spec, store).equals(frame), "the basis is in the store"
    from sksieve import BPMA

    task = next(t for t in spec.tasks() if t.cell.method == "bpma")
    _, A, y, *_ = table(task.cell.data)
    est = BPMA(2, affinity="precomputed", random_state=task.cell.seed).fit(A)
    row = frame[frame["method"] == "bpma"].iloc[0]
    assert row["projector"] == pytest.approx(projector_distance(est.U_, y), abs=1e-9)
    assert row["acc"] == clustering_accuracy(y, est.labels_)
    bad = frame[frame["method"] == "louvain"]
    assert set(bad["status"]) == {"failed"}
    assert bad["reason"].str.contains("no orthonormal basis").all()


def test_real_graphs_are_told_to_be_affinities(real_data, tmp_path):
    real_data("graph_polblogs")
    whole = {"name": "graph_polblogs", "component": "largest"}
    spec = make("rpma-real", "spectral_communities", datasets=["graph_karate", whole])
    assert [dict(t.cell.parameters)["affinity"] for t in spec.tasks()] == ["precomputed"] * 2
    frame = run(spec, tmp_path)
    assert dict(zip(frame["dataset"], frame["status"])) == {
        "graph_karate": "ok",
        "graph_polblogs(component=largest)": "ok",
    }
    data = [t.cell.data for t in spec.tasks()]
    assert [table(d).X.shape[0] for d in data] == [34, 1222]
    assert frame["acc"].iloc[1] > 0.9


def test_columns_are_chosen_on_a_part_and_the_rest_is_scored():
    one, two = (Data("wine", "minmax", None, (("train", n),), 4) for n in (30, 60))
    X, y = load("wine").X, load("wine").y
    order = np.random.RandomState(seed_of("draw", "wine", 4)).permutation(len(X))
    for data, n in ((one, 30), (two, 60)):
        seen = table(data)
        rest = np.sort(order[n:])
        assert seen.fitted.shape == (n, 13)
        assert (seen.fitted.min(axis=0) == 0).all()
        assert seen.fitted.max(axis=0) == pytest.approx(1)
        assert (seen.X == X[rest]).all()
        assert (seen.y == y[rest]).all()
        assert (seen.X_train == X[np.sort(order[:n])]).all()
        assert (seen.y_train == y[np.sort(order[:n])]).all()
    other = table(Data("wine", "minmax", None, (("train", 30),), 5))
    assert not np.array_equal(other.X, table(one).X)


def test_both_parts_of_a_split_are_scored(tmp_path):
    split = [{"name": "wine", "train": 60}]
    spec = make("lsdcl-cv", "variance", datasets=split, k=[4], draws=1, repeats=2)
    with Store(tmp_path) as store:
        run_spec(spec, store)
        (cell,) = (task.cell for task in spec.tasks())
        columns = store.fit(cell).answer[:4]
        frame = results(spec, store)
    seen = table(cell.data)
    for repeat in range(2):
        seed = Item("kmeans_split", 4, repeat).seed(cell)
        for X, y, score in ((seen.X, seen.y, "acc"), (seen.X_train, seen.y_train, "train_acc")):
            groups = KMeans(3, n_init=1, random_state=seed).fit_predict(X[:, columns])
            assert frame[score].iloc[repeat] == clustering_accuracy(y, groups)


def test_anytime_reads_the_history_and_ends_where_the_fit_ends(tmp_path):
    pocss = {"name": "pocss", "parameters": {"polish": False}}
    spec = make("css-anytime", pocss, "greedy", datasets=["digits"], k=[10], repetitions=2)
    with Store(tmp_path) as store:
        run_spec(spec, store)
        frame = results(spec, store)
        tasks = [t for t in spec.tasks() if t.cell.method == "pocss"]
        fits = [store.fit(t.cell) for t in tasks]
    curve = frame[(frame["method"] == "pocss") & (frame["repetition"] == 0)]
    assert curve["evaluations"].tolist() == list(LEVELS)
    found = curve["error_ratio"].dropna()
    assert (np.diff(found) <= 0).all()
    X = load("digits").X
    end = error_ratio(X, fits[0].answer[:10], scale="unit")
    assert curve["error_ratio"].iloc[-1] == pytest.approx(end, rel=1e-9)
    history, size = fits[0].history, 10 * X.shape[1]
    bound = history[-1]["objective"] / end
    for level, figure in zip(LEVELS, curve["error_ratio"]):
        within = [r["objective"] for r in history if r["n_iter"] <= level * size]
        if within:
            assert figure == pytest.approx(within[-1] / bound, rel=1e-9)
        else:
            assert np.isnan(figure)
    assert curve["status"].tolist()[0] == "failed", "the first record comes later"
    level = frame[frame["method"] == "greedy"]["error_ratio"]
    assert level.nunique() == 1
    early = curve[curve["status"] == "failed"]
    assert early["reason"].str.contains("no record of the first").all()


def test_where_k_is_more_than_the_rank_only_that_k_fails(tmp_path, monkeypatch):
    from sksieve.bench import _data

    def low_rank(data):
        basis = np.random.RandomState(0).randn(50, 2)
        X = basis @ np.random.RandomState(1).randn(2, 4)
        return _data.Table(X, X, None)

    for module in ("_data", "_work"):
        monkeypatch.setattr(f"sksieve.bench.{module}.table", low_rank)
    with pytest.warns(RankDeficiencyWarning, match="numerical rank 2"):
        frame = run(make("css", "greedy", k=[1, 2, 3, 4]), tmp_path)
    assert frame["status"].tolist() == ["ok", "ok", "failed", "failed"]
    assert frame["reason"].iloc[2].startswith("DataError: 3 columns were requested")
    assert "ended at 2" in frame["reason"].iloc[2]


def test_variants_of_a_set(real_data):
    real_data("dna")
    assert table(Data("dna", options=(("rows", 1400),))).X.shape == (1400, 180)
    sonar = table(Data("sonar", "symmetric")).X
    assert (sonar.min(axis=0), sonar.max(axis=0)) == (pytest.approx(-1), pytest.approx(1))
    housing = table(Data("housing", options=(("above", 22.5),)))
    assert (housing.y == (load("housing").target > 22.5)).all()
    assert not housing.X.flags.writeable
