"""One answer in all its forms, and what contradicts itself in them.

python -m tests.workflows.answers 200 1000   so many generated tables, from a seed on
python -m tests.workflows.answers catalogue  the tables of the catalogue of up to 100 000 numbers
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sksieve
from sksieve import datasets
from sksieve._wording import percent
from sksieve.io import numeric_table, read_table
from sksieve.metrics import HeldOut

from ..cli.conftest import app_result, parsed

USES = ("any", "reconstruct", "groups", "neighbors")
#: Numbers of a data set that is answered in a few seconds.
NUMBERS = 1e5
ROUNDING = 1e-9


def generated(seed: int) -> tuple[pd.DataFrame, list[str]]:
    """A table, and options of ``sksieve select`` that suit it."""
    rng = np.random.default_rng(seed)
    n, d, r = rng.integers(12, 120), rng.integers(3, 16), rng.integers(1, 4)
    X = rng.normal(size=(n, r)) @ rng.normal(size=(r, d)) + rng.uniform(0.1, 1) * rng.normal(
        size=(n, d)
    )
    if seed % 3 == 0:
        X[:, 0] = 4.0
    if seed % 3 == 1:
        X[:, 1] = -2 * X[:, 0]
    if seed % 5 == 0:
        X = np.exp(X)
    frame = pd.DataFrame(X * rng.uniform(0.01, 100, d), columns=[f"c{j}" for j in range(d)])
    words = [["-k", "auto"], ["-k", str(rng.integers(1, d - 1))], ["-k", "70%"]][seed % 3]
    if seed % 4 == 1:
        frame["text"] = np.array(list("uvwx"))[
            np.digitize(X[:, 0], np.quantile(X[:, 0], [0.3, 0.6]))
        ]
        frame["noise"] = [f"v{x}" for x in rng.integers(n // 5 + 2, size=n)]
        words += ["--encode", "onehot"]
    else:
        words += ["--for", USES[seed // 4 % 4]]
    if seed % 7 == 2:
        frame.iloc[: n // 6, 1] = np.nan
        frame["label"] = 1
        words += ["--impute", "median"]
    return frame, words


def contradictions(path: Path, words: list[str], folder: Path) -> list[str] | None:
    """What is wrong with the answer to a command; None where it is refused."""
    page = folder / "page.html"
    words = ["select", str(path), *words]
    result = app_result(*words, "--details", "--report", page)
    if result.exit_code:
        assert re.match(r"(Note: .*\n)*Error: ", result.stderr), result.stderr
        assert "defect" not in result.stderr, result.stderr
        return None
    text = result.stdout
    document = json.loads(app_result(*words, "--json").stdout)
    options = parsed(*words)
    numeric = numeric_table(read_table(path, **options.reading), **options.preparing)
    given = {name: value for name, value in options.arguments.items() if value != ()}
    answer = sksieve.select(numeric, **given)
    shown = re.sub(r"[\u00a0\u202f\u2009]", " ", unescape(page.read_text(encoding="utf-8")))
    return [
        *_one_number(answer, document, text, shown),
        *_sentences(answer, document, text, shown),
        *_chart(document, shown),
    ]


def _one_number(answer: Any, document: dict[str, Any], text: str, page: str) -> Iterator[str]:
    """The share that the columns explain, wherever it stands."""
    numeric, chosen = answer.numeric, document["chosen"]
    groups = numeric.groups if document["variables"] else None
    judge = HeldOut(numeric.X, groups=groups)
    share = judge.explained(np.concatenate([entry["indices"] for entry in chosen]).astype(int))
    numbers = {
        "Python": answer.explained,
        "frame": answer.frame["so_far"].iloc[-1],
        "JSON": document["explained"]["chosen"],
        "JSON, last column": chosen[-1]["explained"],
        "JSON, sum": sum(entry["adds"] for entry in chosen),
    }
    if document["choice"]:
        candidates = {c["method"]: c["explained"] for c in document["choice"]["candidates"]}
        numbers["candidate"] = candidates[document["method"]["name"]]
        if abs(candidates["random"] - document["explained"]["random"]) > ROUNDING:
            yield f"random columns: {candidates['random']}, {document['explained']['random']}"
    yield from (f"{k}: {v}, not {share}" for k, v in numbers.items() if abs(v - share) > ROUNDING)
    names = [entry["name"] for entry in chosen]
    if not names == answer.columns == answer.frame[answer.noun].tolist():
        yield f"names: {names}, {answer.columns}"
    verb = "explains" if len(names) == 1 else "explain"
    sentence = f"{verb} {percent(share)} of the table on rows not used"
    yield from (
        f"no {sentence!r} in {k}" for k, t in (("text", text), ("page", page)) if sentence not in t
    )
    rows = re.findall(r"^ *\d+  .*?(-?[\d.]+) %  +(-?[\d.]+) %", text, re.MULTILINE)
    listed = [(percent(entry["explained"]), entry["adds"]) for entry in chosen]
    for (so_far, adds), (expected, added) in zip(rows, listed, strict=True):
        if f"{so_far} %" != expected or abs(float(adds) / 100 - added) > 0.00051:
            yield f"row {so_far} %, {adds} %, not {expected}, {added}"
    if document["train"]["explained"] < share - 0.02 and not groups:
        yield f"train {document['train']['explained']} below {share}"
    random = document["explained"]["random"]
    is_below = document["choice"] and random is not None and share < random - ROUNDING
    if is_below and "random" not in " ".join(document["notes"]):
        yield f"below random without a note: {share} < {random}"


def _chart(document: dict[str, Any], page: str) -> Iterator[str]:
    """The row of the chosen number in the page's chart; smaller ones may be of other columns."""
    table = page.partition("Numbers of the chart: share explained")[2].partition("</table>")[0]
    heads = re.findall(r'<th scope="col">(.*?)</th>', table)
    cells = [re.findall(r">([^<>]*)</t[hd]>", row) for row in table.split("<tr>")[2:]]
    rows = {int(row[0].replace(",", "")): dict(zip(heads, row, strict=True)) for row in cells}
    explained, k = document["explained"], len(document["chosen"])
    if k not in rows:
        yield f"no row of {k} in the chart: {list(rows)}"
        return
    if rows[k]["Explained"] != percent(explained["chosen"]):
        yield f"chart: {rows[k]['Explained']}, not {percent(explained['chosen'])}"
    for head, name in (("PCA", "components"), ("Random", "random")):
        expected = "" if explained[name] is None else percent(explained[name])
        if rows[k].get(head, "") != expected:
            yield f"chart, {head}: {rows[k].get(head)}, not {expected}"
    for head in heads:
        if not any(row[head] for row in rows.values()):
            yield f"chart: nothing below {head}"


def _sentences(answer: Any, document: dict[str, Any], text: str, page: str) -> Iterator[str]:
    """Numbers of columns, intervals and shares in sentences."""
    k, n = len(document["chosen"]), len(set(document["columns"]))
    if document["variables"]:
        n = len(set(answer.numeric.groups))
    if {k} != {document["k"], answer.k, len(answer.columns), len(answer.frame)}:
        yield f"k: {k}, {document['k']}, {answer.k}"
    head = f"{k} of {n:,} "
    yield from (
        f"no {head!r} in {where}" for where, t in (("text", text), ("page", page)) if head not in t
    )
    first = re.match(r".*?: ([\d,]+) rows, ([\d,]+) (?:column|variable)s?[.,]", text)
    if first is None or first.groups() != (f"{answer.numeric.X.shape[0]:,}", f"{n:,}"):
        yield f"first line: {text.splitlines()[0]}"
    for line in answer.headline(), *answer._number_lines():
        if line not in text:
            yield f"not in the text: {line}"
        if line not in page:
            yield f"not on the page: {line}"
    number = re.search(r"^How many: (\d+)(?:(?:,| \((\d+) to (\d+)\)).*?)?:", text, re.MULTILINE)
    suggestion = document["suggestion"]
    if (number is None) != (suggestion is None):
        yield f"suggestion {suggestion} beside {number}"
    elif number is not None:
        if int(number[1]) != k:
            yield f"{number[0]} beside {k}"
        if number[2] and not int(number[2]) <= k <= int(number[3]):
            yield f"{k} outside {number[0]}"
        if number[2] and [int(number[2]), int(number[3])] != suggestion["interval"]:
            yield f"{number[0]} beside {suggestion['interval']}"
        if number[2] and f"suggested: {suggestion['n']} ({number[2]} to {number[3]})" not in page:
            yield "the legend has another interval"
        if answer.plan.number is None and suggestion["n"] != k:
            yield f"suggested {suggestion['n']}, chosen {k}"
    for half, share in re.findall(r"The first (\d+) explain ([\d.]+ %)", text):
        if share != percent(document["chosen"][int(half) - 1]["explained"]):
            yield f"the first {half}: {share}"
    share = re.search(r"explain ([\d.]+) % of the table on rows not used \(by forward", text)
    if share and document["explained"]["chosen"] < float(share[1]) / 100:
        yield f"{share[0]} beside {document['explained']['chosen']}"


def _runs(arguments: list[str], folder: Path) -> Iterator[tuple[str, Path, list[str]]]:
    if arguments[0] == "catalogue":
        for data in datasets.catalogue():
            is_table = data.available and data.kind == "table" and not data.n_missing
            if is_table and data.n_samples * data.n_features <= NUMBERS:
                path = folder / f"{data.name}.npy"
                np.save(path, datasets.load(data.name).X)
                yield data.name, path, []
        return
    n, start = map(int, arguments)
    for seed in range(start, start + n):
        frame, words = generated(seed)
        path = folder / f"{seed}.csv"
        frame.to_csv(path, index=False)
        yield str(seed), path, words


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        found, n_tables, n_refused = [], 0, 0
        for title, table, options in _runs(sys.argv[1:], Path(home)):
            wrong = contradictions(table, options, Path(home))
            found += [f"{title} {shlex.join(options)}: {line}" for line in wrong or ()]
            n_tables, n_refused = n_tables + 1, n_refused + (wrong is None)
        last = f"{len(found)} contradictions, {n_tables} tables, {n_refused} refused\n"
        sys.stdout.write("\n".join([*found, last]))
