"""Specs: what they become, and how a wrong one is refused; the command; the choice of k."""

from __future__ import annotations

import hashlib
import json

import pytest
from typer.testing import CliRunner

from sksieve.bench import Cell, Data, parse_spec, read_spec
from sksieve.exceptions import DataError


def spec(*methods, **more):
    return {"protocol": "default", "datasets": ["iris"], "k": [1, 9], "method": [*methods], **more}


def test_the_key_is_the_hash_of_names_content_and_version_and_the_seed_of_names():
    cell = Cell(Data("iris", "unit", 2, content="abc"), "pocss", (("max_iter", 5),), 3, "v1")
    names = (
        '{"classes":2,"dataset":"iris","method":"pocss","parameters":{"max_iter":5},'
        '"repetition":3,"scale":"unit"}'
    )
    text = names.replace('"dataset"', '"content":"abc","dataset"')[:-1] + ',"version":"v1"}'
    assert cell.names == names
    assert cell.text == text
    assert cell.key == hashlib.sha256(text.encode()).hexdigest()
    assert cell.seed == int.from_bytes(hashlib.sha256(f'["seed",{names}]'.encode()).digest()[:4])
    assert Cell.read(text) == cell


def test_seeds_repetitions_and_sizes():
    tasks = list(
        parse_spec(spec({"name": "greedy"}, {"name": "pocss"}, repetitions=3, repeats=2)).tasks()
    )
    assert [t.cell.repetition for t in tasks] == [0, 0, 1, 2]
    assert {i.k for t in tasks for i in t.items} == {1}, "iris has 4 columns"
    assert all(len(t.items) == 2 for t in tasks)


@pytest.mark.parametrize(("given", "expected"), [({}, (9, 9)), ({"score_budget": 4}, (9, 4))])
def test_scores_have_the_budget_of_the_fit_unless_another_is_given(given, expected):
    (task,) = parse_spec(spec({"name": "greedy"}, budget=9, **given)).tasks()
    assert (task.budget, task.score_budget) == expected


def test_a_complete_ranking_is_the_same_fit_whatever_k():
    few, more = (
        [t.cell for t in parse_spec(spec({"name": "lapscore"}, k=k)).tasks()]
        for k in ([1], [1, 2, 3])
    )
    assert few == more


def test_number_of_classes_is_told_to_those_who_ask():
    content = spec({"name": "ndfs"}, {"name": "spectral"}, classes=[2])
    messages = [dict(t.cell.parameters) for t in parse_spec(content).tasks()]
    assert [p["n_clusters"] for p in messages] == [2] * len(messages)


def test_grids_only_where_labels_may_tune():
    entry = {"name": "lapscore", "grid": {"n_neighbors": [3, 5]}}
    tasks = list(parse_spec(spec(entry, protocol="oracle")).tasks())
    assert [t.setting for t in tasks] == ["", "n_neighbors=3", "n_neighbors=5"]
    with pytest.raises(DataError, match="tunes nothing; use protocol 'oracle'"):
        parse_spec(spec(entry))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"protocol": "best"}, "no protocol 'best'"),
        ({"datasets": ["irs"]}, "irs"),
        ({"k": [0]}, "whole numbers from 1"),
        ({"k": []}, "must say how many"),
        ({"budget": 0}, "more than 0"),
        ({"color": "red"}, "no entry 'color'"),
        ({"k": 3}, "k must be a list; got 3"),
        ({"datasets": "iris"}, "datasets must be a list; got 'iris'"),
        ({"datasets": [1]}, "list of names"),
        ({"repeats": 10**10}, "repeats is at most 1,000,000; got 10,000,000,000"),
        ({"repetitions": 10**10}, "repetitions is at most 1,000,000"),
        ({"draws": 10**10}, "draws is at most 1,000,000"),
        ({"repeats": "many"}, "repeats must be a whole number"),
        ({"method": [1]}, "must be tables"),
        ({"method": [{"name": "greedy", "grid": {"scale": "unit"}}]}, "list of values to try"),
        ({"scale": "log"}, "scale must be one of"),
        ({"method": []}, "at least one"),
        ({"method": [{"name": "greedyy"}]}, "no method 'greedyy'"),
        ({"method": [{"name": "nowhere:Class"}]}, "cannot be imported"),
        ({"method": [{"name": "greedy", "parameters": {"gamma": 1}}]}, "no parameter 'gamma'"),
        ({"method": [{"name": "pocss", "parameters": {"random_state": 1}}]}, "set by the protocol"),
    ],
)
def test_a_wrong_spec_is_refused_in_a_sentence(change, said):
    with pytest.raises(DataError, match=said):
        parse_spec({**spec({"name": "greedy"}), **change})


def test_the_command_runs_tells_and_retries(tmp_path):
    from sksieve.cli._app import app

    path, store = tmp_path / "s.toml", str(tmp_path / "store")
    methods = ["greedy", "tests.bench.own_methods:Raises"]
    path.write_text(
        'protocol = "css"\ndatasets = ["iris"]\nk = [2]\n'
        + "".join(f"[[method]]\nname = {json.dumps(name)}\n" for name in methods)
    )

    def call(*words):
        done = CliRunner().invoke(app, ["bench", *map(str, words), "--store", store])
        return done.exit_code, " ".join(done.output.split())

    code, message = call("status", path)
    assert (code, "no store here" in message) == (1, True)
    code, message = call("run", path, "--jobs", 0)
    assert (code, "--jobs 0: give a number of processes" in message) == (1, True)
    code, message = call("run", path)
    assert code == 0
    assert "2 of 2 cells done, 1 of them failed" in message
    assert "Raises on iris failed: RuntimeError: no answer today" in message
    code, message = call("status", path)
    assert "no answer today" in message
    assert "| iris | 2 | failed |" in call("table", path)[1]
    assert "1 failures forgotten" in call("retry")[1]
    assert "1 of 2 cells done, 0 of them failed" in call("status", path)[1]
    assert "unfinished" in call("table", path)[1]


def test_scores_of_one_spec_are_computed_anew_and_those_of_another_stay(tmp_path):
    from sksieve.bench import Store, progress
    from sksieve.cli._app import app

    specs = [tmp_path / name for name in ("a.toml", "b.toml")]
    for path, name in zip(specs, ("greedy", "exact")):
        path.write_text(
            f'protocol = "css"\ndatasets = ["iris"]\nk = [2]\n[[method]]\nname = "{name}"\n'
        )

    def run(path, *words):
        words = ["bench", "run", str(path), *words, "--store", str(tmp_path / "store")]
        assert CliRunner().invoke(app, words).exit_code == 0

    for path in specs:
        run(path)
    with Store(tmp_path / "store") as kept:
        kept._db.execute('UPDATE scores SET "values" = \'{"error_ratio": 9.0}\'')
    run(specs[0], "--rescore")
    with Store(tmp_path / "store") as kept:
        found = []
        for path in specs:
            (task,) = read_spec(path).tasks()
            found.append(kept.scores(task.cell)[task.items[0]].values["error_ratio"])
            assert progress(read_spec(path), kept).done == 1
    assert 1 <= found[0] < 3
    assert found[1] == 9.0


def test_tables_and_page_of_what_is_not_yet_run_have_every_figure(tmp_path):
    from sksieve.bench import Store
    from sksieve.cli._app import app

    path, page = tmp_path / "s.toml", tmp_path / "page.html"
    path.write_text('protocol = "lsdcl"\ndatasets = ["iris"]\n[[method]]\nname = "variance"\n')
    with Store(tmp_path / "store"):
        pass
    for words in (["table", path, "--average"], ["report", path, "-o", page]):
        words = ["bench", *map(str, words), "--store", str(tmp_path / "store")]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
        message = done.output if words[1] == "table" else page.read_text("utf-8")
        assert message.count("unfinished") >= 3
        assert all(f"{figure}" in message for figure in ("acc", "nmi_sqrt", "nmi"))
