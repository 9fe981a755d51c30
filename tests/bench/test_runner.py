"""What a cell does, and what becomes of one that fails."""

from __future__ import annotations

import subprocess
import time

import numpy as np
import pandas as pd
import pytest

from sksieve.bench import Cell, Data, Store, parse_spec, result_table, results, run_spec
from sksieve.bench._cells import Item
from sksieve.bench._scores import SCORINGS, Scoring
from sksieve.bench._store import Fit, Outcome, Score
from sksieve.bench._work import Job, perform

from . import own_methods

OWN = "tests.bench.own_methods:"


def make(*names, protocol="css", **more):
    more = {"datasets": ["iris"], "k": [1, 2, 3], **more}
    return parse_spec({"protocol": protocol, "method": [{"name": n} for n in names], **more})


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as kept:
        yield kept


@pytest.fixture(autouse=True)
def _no_fits_yet():
    own_methods.FITS.clear()


def test_a_nested_method_is_fitted_once_for_all_k_any_other_once_for_each(store):
    far = run_spec(make(OWN + "Nested", OWN + "NotNested"), store)
    assert far == (4, 4, 0)
    expected = [("Nested", 3), ("NotNested", 1), ("NotNested", 2), ("NotNested", 3)]
    assert sorted(own_methods.FITS) == expected


def test_a_second_run_does_nothing_and_more_repeats_reuse_the_fits(store):
    spec = make(OWN + "Nested", protocol="default", repeats=2)
    run_spec(spec, store)
    first = results(spec, store)
    run_spec(spec, store)
    more = make(OWN + "Nested", protocol="default", repeats=4)
    run_spec(more, store)
    assert own_methods.FITS == [("Nested", 3)]
    frame = results(more, store)
    assert len(first) == 6
    assert len(frame) == 12
    same = frame[frame["repeat"] < 2].reset_index(drop=True)
    assert same.equals(first)


def test_scores_are_redone_without_fitting(store):
    spec = make(OWN + "Nested")
    run_spec(spec, store)
    before = results(spec, store)
    assert store.forget_scores() == 3
    assert set(results(spec, store)["status"]) == {"unfinished"}
    run_spec(spec, store)
    assert own_methods.FITS == [("Nested", 3)]
    assert results(spec, store).equals(before)


def test_figures_are_those_of_the_metrics(store):
    from sklearn.datasets import load_iris

    from sksieve.metrics import clustering_accuracy, error_ratio, nmi

    X, y = load_iris(return_X_y=True)
    css, labels = make(OWN + "Nested"), make(OWN + "OneCluster", protocol="srsg")
    run_spec(css, store)
    run_spec(labels, store)
    expected = [error_ratio(X, np.arange(k), scale="unit") for k in (1, 2, 3)]
    assert results(css, store)["error_ratio"].tolist() == expected
    frame = results(labels, store)
    one = np.zeros(150)
    assert frame["acc"].tolist() == [clustering_accuracy(y, one)]
    assert frame["nmi"].tolist() == [nmi(y, one)]
    assert own_methods.FITS[-1] == ("OneCluster", 3)


def test_first_classes_only(store):
    spec = make(OWN + "OneCluster", protocol="srsg", classes=[2])
    run_spec(spec, store)
    frame = results(spec, store)
    assert frame["dataset"].tolist() == ["iris[:2]"]
    assert frame["acc"].tolist() == [0.5]
    assert own_methods.FITS == [("OneCluster", 2)]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Raises", "RuntimeError: no answer today"),
        ("Hangs", "OverBudget: it took longer than its budget of 0.2 s"),
        ("NaNRanking", "NaN"),
        ("NaNScores", "NaN"),
        ("SameColumn", "different columns"),
    ],
)
def test_a_method_that_fails_is_a_failed_cell(store, name, reason):
    spec = make(OWN + name, OWN + "Nested", budget=0.2 if name == "Hangs" else 60)
    assert run_spec(spec, store) == (2, 2, 1)
    frame = results(spec, store)
    failed = frame[frame["method"] == name]
    assert set(failed["status"]) == {"failed"}
    assert failed["reason"].str.contains(reason).all()
    assert failed["error_ratio"].isna().all()
    cell = next(t.cell for t in spec.tasks() if t.cell.method == OWN + name)
    assert "Traceback" in store.fit(cell).traceback
    made = result_table(frame, spec.rules)
    assert made.status[name].tolist() == ["failed"] * 3
    displayed = "over budget" if name == "Hangs" else "failed"
    assert made.text("md").count(displayed) == 3
    assert made.text("tex").count(displayed) == 3
    assert made.mean[name].isna().all()


def test_labels_that_are_not_one_for_each_sample_are_a_failure(store):
    spec = make(OWN + "TooFewLabels", protocol="srsg")
    assert run_spec(spec, store) == (1, 1, 1)
    (reason,) = results(spec, store)["reason"]
    assert reason == "InvalidAnswer: labels_ has shape (149,) for 150 samples."


def test_a_basis_that_is_not_orthonormal_is_not_kept(store):
    sbm = {"name": "sbm", "n_nodes": 8, "n_blocks": 2, "p_in": 1.0, "p_out": 0.0}
    spec = make(OWN + "Blocks", OWN + "Skewed", protocol="rpma-sbm", datasets=[sbm], draws=1)
    run_spec(spec, store)
    frame = results(spec, store).set_index("method")
    assert frame.loc["Blocks", "projector"] == pytest.approx(0, abs=1e-7)
    assert frame.loc["Skewed", "status"] == "failed"
    assert "no orthonormal basis" in frame.loc["Skewed", "reason"]


def test_failures_are_kept_until_they_are_forgotten(store):
    spec = make(OWN + "Raises")
    run_spec(spec, store)
    run_spec(spec, store)
    assert len(own_methods.FITS) == 1
    assert store.forget_failures() == 1
    run_spec(spec, store)
    assert len(own_methods.FITS) == 2


def test_a_score_that_is_nan_is_a_failure(store, monkeypatch):
    scoring = Scoring(lambda *_: {"error_ratio": float("nan")}, ("error_ratio",))
    monkeypatch.setitem(SCORINGS, "css", scoring)
    spec = make(OWN + "Nested")
    assert run_spec(spec, store) == (1, 1, 1)
    frame = results(spec, store)
    assert set(frame["status"]) == {"failed"}
    assert frame["reason"].str.contains("error_ratio is nan").all()
    monkeypatch.undo()
    run_spec(spec, store)
    assert results(spec, store).equals(frame), "kept until it is forgotten"
    assert store.forget_failures() == 3
    assert run_spec(spec, store) == (1, 1, 0)
    assert set(results(spec, store)["status"]) == {"ok"}
    assert own_methods.FITS == [("Nested", 3)], "the fit was kept"


def test_a_worker_that_dies_takes_no_other_cell_with_it(store):
    spec = make(OWN + "Dies", OWN + "Nested")
    assert run_spec(spec, store, n_jobs=2) == (2, 2, 1)
    frame = results(spec, store)
    assert set(frame[frame["method"] == "Dies"]["status"]) == {"failed"}
    assert frame[frame["method"] == "Dies"]["reason"].str.contains("process of this cell").all()
    assert set(frame[frame["method"] == "Nested"]["status"]) == {"ok"}


def test_scores_at_which_a_process_dies_are_failures_and_the_fit_stays(store, monkeypatch):
    from concurrent.futures.process import BrokenProcessPool

    from sksieve.bench import _runner

    def dies(jobs, n_jobs):
        yield from (job for job in jobs if job is None)  # takes them all, and answers none
        raise BrokenProcessPool

    monkeypatch.setattr(_runner, "_pool", dies)
    spec = make(OWN + "Nested")
    (task,) = spec.tasks()
    fit = Fit("ok", np.arange(4))
    store.put([Outcome(task.cell, fit)])
    assert run_spec(spec, store, n_jobs=2) == (1, 1, 1)
    frame = results(spec, store)
    assert set(frame["status"]) == {"failed"}
    assert frame["reason"].str.contains("process of this cell died").all()
    assert store.fit(task.cell).status == "ok"


def test_the_budget_leaves_no_alarm_behind(store):
    import signal

    before = signal.getsignal(signal.SIGALRM)
    run_spec(make(OWN + "Hangs", budget=0.1), store)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


CELL = Cell(Data("iris"), "greedy")
ITEM = Item("css", 1)
WANTED = [(CELL, [ITEM])]


def test_a_claim_holds_against_others_until_the_lease_ends(tmp_path):
    with Store(tmp_path, lease=0.3) as a, Store(tmp_path, lease=0.3) as b:
        assert a.claim(WANTED) == [((ITEM,), None)]
        assert b.claim(WANTED) == [None]
        for _ in range(4):
            time.sleep(0.1)
            a.beat()
        assert b.claim(WANTED) == [None], "the heartbeat keeps it"
        time.sleep(0.35)
        assert b.claim(WANTED) == [((ITEM,), None)]


def test_both_finish_and_the_first_answer_stays(tmp_path):
    with Store(tmp_path) as a, Store(tmp_path) as b:
        for store, value in ((a, 1.0), (b, 2.0)):
            fit = Fit("ok", np.array([0]), seconds=value)
            store.put([Outcome(CELL, fit, (Score(ITEM, "ok", {"error_ratio": value}),))])
        assert a.scores(CELL)[ITEM].values == b.scores(CELL)[ITEM].values == {"error_ratio": 1.0}
        assert b.fit(CELL).seconds == 1.0
        assert b.claim(WANTED) == [None]


def test_the_claim_of_a_dead_process_is_free_at_once(tmp_path):
    child = subprocess.Popen(["true"])
    child.wait()
    with Store(tmp_path) as a, Store(tmp_path) as b:
        a.claim(WANTED)
        a._db.execute("UPDATE claims SET pid = ?, host = 'elsewhere'", (child.pid,))
        assert b.claim(WANTED) == [None], "of another machine's processes nothing is known"
        a._db.execute("UPDATE claims SET host = ?", (a.host,))
        assert b.claim(WANTED) == [((ITEM,), None)]


def test_what_is_home_is_claimed_no_longer(tmp_path):
    wanted = [(CELL, [ITEM, Item("css", 2)])]
    with Store(tmp_path) as a, Store(tmp_path) as b:
        a.claim(wanted)
        fit = Fit("ok", np.array([0, 1]))
        a.put([Outcome(CELL, fit, (Score(ITEM, "ok", {"error_ratio": 1.0}),))])
        (claim,) = b.claim(wanted)
        assert claim.items == (Item("css", 2),)
        assert claim.fit.answer.tolist() == [0, 1]


@pytest.mark.parametrize("shape", [(0,), (3,), (4, 2)])
def test_arrays_are_kept_as_numpy_saves_them(shape):
    import io

    from sksieve.bench._store import _pack, _unpacked

    rng = np.random.default_rng(0)
    for array in (np.arange(np.prod(shape)).reshape(shape), rng.random(shape[::-1]).T):
        buffer = io.BytesIO()
        np.save(buffer, np.ascontiguousarray(array))
        assert _pack(array) == buffer.getvalue()
        np.testing.assert_array_equal(_unpacked(_pack(array)), array)


def test_what_is_not_a_store_is_refused(tmp_path):
    from sksieve.exceptions import DataError

    with pytest.raises(DataError, match="no store here"):
        Store(tmp_path / "nothing", create=False)
    (tmp_path / "store.sqlite").write_text("no database " * 100)
    with pytest.raises(DataError, match="it is not a store of results"):
        Store(tmp_path)


def test_the_seed_comes_from_the_names_not_from_the_order(store):
    spec = make("random", k=[1, 2], repetitions=3)
    cells = [t.cell for t in spec.tasks()]
    assert len({c.seed for c in cells}) == 3
    turned = [perform(Job(c, (Item("css", 1),), None, 60.0)) for c in cells[::-1]]
    run_spec(spec, store)
    for outcome in turned:
        assert outcome.fit.answer.tolist() == store.fit(outcome.cell).answer.tolist()


def test_a_dask_cluster_does_the_cells(store, tmp_path):
    distributed = pytest.importorskip("distributed")
    names = ("Nested", "NotNested", "Hangs", "Raises")
    spec = make(*(OWN + name for name in names), budget=0.5)
    one = make(OWN + "Nested", OWN + "NotNested")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, dashboard_address=":0", local_directory=tmp_path
    ) as cluster:
        far = run_spec(spec, store, dask=cluster.scheduler_address)
    assert own_methods.FITS == [], "nothing is fitted here"
    assert far == (6, 6, 2)
    frame = results(spec, store)
    status = frame.groupby("method")["status"].unique().map(list).to_dict()
    assert status == {
        "Nested": ["ok"],
        "NotNested": ["ok"],
        "Hangs": ["failed"],
        "Raises": ["failed"],
    }
    assert frame.loc[frame["method"] == "Hangs", "reason"].str.contains("budget of 0.5 s").all()
    with Store(tmp_path / "here") as here:
        run_spec(one, here)
        figures = ["dataset", "method", "k", "error_ratio"]
        pd.testing.assert_frame_equal(results(one, store)[figures], results(one, here)[figures])


def test_a_cluster_that_does_not_answer_is_refused(store):
    distributed = pytest.importorskip("distributed")
    from dask import config

    from sksieve.exceptions import DataError

    assert distributed
    with config.set({"distributed.comm.timeouts.connect": "1s"}):
        for address in ("tcp://127.0.0.1:1", "nowhere://1"):
            with pytest.raises(DataError, match="no dask scheduler answers at"):
                run_spec(make(OWN + "Nested"), store, dask=address)
    assert own_methods.FITS == []


def test_a_method_that_takes_the_alarm_leaves_the_next_cell_its_budget(store):
    import signal

    before = signal.getsignal(signal.SIGALRM)
    spec = make(OWN + "TakesTheAlarm", OWN + "Hangs", budget=0.2)
    run_spec(spec, store)
    frame = results(spec, store)
    assert set(frame[frame["method"] == "TakesTheAlarm"]["status"]) == {"ok"}
    assert frame[frame["method"] == "Hangs"]["reason"].str.contains("budget of 0.2 s").all()
    assert signal.getsignal(signal.SIGALRM) == before


def test_a_thread_has_a_budget_too():
    import threading

    from sksieve.bench._budget import OverBudget, budget

    message = []

    def work():
        try:
            with budget(0.1):
                own_methods.Hangs().ranked(None)
        except OverBudget as error:
            message.append(str(error))
        with budget(60):
            message.append("and on")

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(20)
    assert message == ["it took longer than its budget of 0.1 s", "and on"]
