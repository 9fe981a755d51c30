"""Numbers in pages, docstrings and remarks that committed results decide.

`SENTENCES` holds parts of sentences as they stand in a file, each number replaced by the name of a
fact; `FACTS` computes the facts from ``benchmarks/results``. A stale number fails a test and
the build of the site:

    python tools/prose.py            # which numbers are stale
    python tools/prose.py --write    # put in the present ones
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent))

sys.path.insert(1, str(Path(__file__).parents[1] / "benchmarks"))

import leaderboard_pages as boards
import structure_target
from sksieve.bench import USES
from sksieve.catalogue import METHODS

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
REPRODUCTION = RESULTS / "reproduction"

#: What a number of a sentence may look like, with the mark of a significant one.
NUMBER = r"[-+]?\.?\d[\d.]*(?:\\\*)?"

#: The name of a fact in a sentence.
FIELD = re.compile(r"\{(\w+)\}")


# Facts -----------------------------------------------------------------------------------------


def _short(value: float, digits: int) -> str:
    """A number without a leading zero."""
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


@cache
def _tables() -> dict[str, boards.Standings]:
    selection = boards.load("selection", RESULTS)
    assert selection is not None
    return {use: boards.of_use(selection.frame, use) for use in (*USES, boards.EVERY)}


def leaderboard() -> dict[str, str]:
    """Gains over random columns with their mark, and mean ranks: ``greedy_neighbors``."""
    names = dict(zip((*USES, boards.EVERY), ("groups", "later", "neighbors", "rebuilt", "all")))
    facts = {"n_ranked": str(_tables()[boards.EVERY].table["rank"].notna().sum())}
    for use, ranking in _tables().items():
        for row in ranking.table.itertuples():
            mark = "\\*" if row.verdict in ("above", "below") else ""
            key = re.sub(r"\W", "_", str(row.method))
            facts[f"{key}_{names[use]}"] = f"{100 * row.gain:+.1f}{mark}"
            facts[f"{key}_rank_{names[use]}"] = f"{row.rank:.1f}"
            facts[f"{key}_missing"] = f"{100 * row.missing:.0f}"
            facts[f"{key}_wins_{names[use]}"] = str(row.wins)
    tied = len(boards._tied_with_best(_tables()["clusters"]))
    facts["n_below_aligned"] = str(int(_tables()["clusters"].table["rank"].notna().sum()) - tied)
    facts["n_others"] = str(int(facts["n_ranked"]) - 1)
    gains = _tables()["neighbors"].table.set_index("method")["gain"]
    facts["choice_loss"] = f"{100 * (gains['vote'] - gains['choice']):.1f}"
    return facts | _cost_facts()


def _cost_facts() -> dict[str, str]:
    selection, minmax = boards.load("selection", RESULTS), boards.load("selection-minmax", RESULTS)
    assert selection is not None
    costs = boards._costs(selection.frame)
    sentence = boards._sentence_of_scales(_tables(), minmax)
    (tau,) = re.findall(r"tau = ([.\d]+);", sentence)
    medians = {f"{m}_median": _two_digits(costs.loc[m, "median"]) for m in costs.index}
    return {"tau_scales": tau.removeprefix("0"), **medians}


def _two_digits(value: float) -> str:
    return f"{value:.2g}".removeprefix("0")


def structure() -> dict[str, str]:
    """Mean scores of the two looks at the structure target, in percent."""
    frame = pd.read_csv(RESULTS / "structure_target.csv")
    frame["score"] = frame[["nmi", "nn1", "logistic"]].mean(axis=1)
    means = frame.groupby("method")["score"].mean()
    values = frame.pivot(index="dataset", columns="method", values="score")
    wins = (values["structure_random_start"] > values["random"]).sum()
    facts = {f"{name}_mean": f"{value:.2f}" for name, value in means.items()}
    one_unit = values.loc[list(structure_target.ONE_UNIT)]
    points = one_unit["variance"] - one_unit["structure_greedy_start"]
    return facts | {
        "n_tables": str(len(values)),
        "wins_random": str(wins),
        "n_one_unit": str(len(points)),
        "variance_wins": str((points > 0).sum()),
        "variance_losses": str((points < 0).sum()),
        "variance_most": f"{points.max():.1f}",
        "variance_least": f"{-points.min():.1f}",
    }


def _runs(*names: str) -> pd.DataFrame:
    frame = pd.concat(
        pd.read_csv(REPRODUCTION / f"{name}.csv", dtype={"k": str}, keep_default_na=False)
        for name in names
    )
    frame = frame[(frame["status"] == "ok") & (frame["role"] == "default")]
    return frame.assign(value=frame["value"].astype(float))


def _pivot(frame: pd.DataFrame, score: str, k: str = "mean") -> pd.DataFrame:
    rows = frame[(frame["score"] == score) & (frame["k"] == k)]
    return rows.pivot_table(index="dataset", columns="method", values="value")


def srsg() -> dict[str, str]:
    """The paper's algorithm against the l1 graph, and supports that grow against the default."""
    frame = _runs("srsg", "srsg-large", "srsg-largest")
    acc = _pivot(frame, "acc")
    loss = acc["l1graph"] - acc["srsg, the paper's algorithm"]
    faces = acc.index.str.startswith(("YaleB", "UMIST"))
    ahead = acc["srsg, growth"] > acc["srsg"] + 5e-4
    literal = acc["srsg, literal"] if "srsg, literal" in acc else acc["srsg"] * np.nan
    facts = {
        "loss": _short(loss[~faces].mean(), 3),
        "n_plain": str((~faces).sum()),
        "gain": _short(-loss[faces].mean(), 3),
        "n_faces": str(faces.sum()),
        "n_growth": str(ahead.sum()),
        "n_sets": str(len(acc)),
    }
    if np.isfinite(literal.get("COIL20[:8]", np.nan)):
        facts["literal"] = _short(literal["COIL20[:8]"], 2)
    for name in acc.index:
        key = re.sub(r"\W+", "_", str(name)).strip("_")
        facts[f"{key}_default"] = _short(acc.loc[name, "srsg"], 3)
        facts[f"{key}_growth"] = _short(acc.loc[name, "srsg, growth"], 3)
    return facts


def blufs() -> dict[str, str]:
    """Accuracies in per cent, mean over the numbers of columns: ``mcfs_COIL20``."""
    acc = 100 * _pivot(_runs("blufs", "blufs-seeds"), "acc")
    facts = {f"{m}_{d}": f"{acc.loc[d, m]:.2f}" for m in acc for d in acc.index}
    lead = acc["blufs"] - acc["mcfs"]
    facts |= {f"lead_{d}": f"{lead[d]:.2f}" for d in acc.index}
    knn = 100 * _pivot(_runs("blufs-knn", "blufs-knn-seeds"), "knn_acc", "100")
    return facts | {f"knn_{m}_{d}": f"{knn.loc[d, m]:.1f}" for m in knn for d in knn.index}


def lsdcl() -> dict[str, str]:
    """Accuracies in per cent, mean over the numbers of columns: ``random_rank_JAFFE``."""
    frame = _runs("lsdcl", "lsdcl-large", "lsdcl-seeds", "lsdcl-seeds-large")
    acc = 100 * _pivot(frame, "acc")
    names = {d: re.sub(r"\W.*", "", str(d)) for d in acc.index}
    facts = {f"{m}_{names[d]}": f"{acc.loc[d, m]:.2f}" for m in acc for d in acc.index}
    printed = pd.read_csv(ROOT / "benchmarks" / "papers" / "lsdcl_table_2.csv", dtype=str)
    printed = printed[(printed["method"] == "LSDCL") & (printed["metric"] == "acc")]
    values = printed.set_index("dataset")["value"].astype(float)
    for ours, theirs in (("ORL", "ORL"), ("ecoli343", "ECOLI")):
        facts[f"below_{ours}"] = f"{values[theirs] - acc.loc[ours, 'lsdcl']:.1f}"
    return facts


def genes() -> dict[str, str]:
    """What 20 genes explain of PCA's share, keep and tell, in per cent: ``IterFS_pca``."""
    frame = pd.read_csv(RESULTS / "hvg.csv")
    frame = frame[frame["k"] == 20].set_index("method")
    heads = {"pca": "part_of_pca", "neighbors": "neighbors", "accuracy": "knn_accuracy"}
    flavors = frame.loc[frame.index.str.startswith("scanpy"), "knn_accuracy"]
    facts = {"least": f"{100 * flavors.min():.1f}", "most": f"{100 * flavors.max():.1f}"}
    for name, row in frame.iterrows():
        key = re.sub(r"\W+", "_", str(name)).strip("_")
        facts |= {f"{key}_{word}": f"{100 * row[head]:.1f}" for word, head in heads.items()}
    return facts


def neighbors() -> dict[str, str]:
    """Time of scikit-learn's searches over ours, 10 000 x 50, and the tree where it is faster."""
    frame = pd.read_csv(RESULTS / "neighbors_exact.csv")
    wide = frame[(frame["n"] == 10000) & (frame["d"] == 50)]
    brute, tree = wide["sklearn brute"], frame.loc[frame["d"] == 5, "sklearn kd_tree"]
    return {
        "least": f"{brute.min():.1f}",
        "most": f"{brute.max():.1f}",
        "tree": f"{1 / tree.iloc[0]:.1f}",
    }


FACTS: dict[str, Callable[[], dict[str, str]]] = {
    "leaderboard": leaderboard,
    "structure": structure,
    "srsg": srsg,
    "blufs": blufs,
    "lsdcl": lsdcl,
    "genes": genes,
    "neighbors": neighbors,
}

# Sentences -------------------------------------------------------------------------------------

#: Rows of the table on choosing: the class of the method, or the name of a former one.
CHOOSING = (
    "vote", "choice", "aligned", "pocss", "greedy", "local_search", "blufs", "mcfs", "lsdcl",
    "variance", "lapscore", "leverage",
)  # fmt: skip


def _choosing() -> Iterator[tuple[str, str, str]]:
    names = {method.name: method.load().__name__ for method in METHODS} | {"vote": "vote"}
    uses = ("groups", "later", "neighbors", "rebuilt", "all", "rank_all")
    for method in CHOOSING:
        cells = " | ".join(f"{{{method}_{use}}}" for use in uses)
        yield "docs/choosing.md", "leaderboard", f"| `{names[method]}` | {cells} |"


#: First cell of the table on genes -> the method in the results.
GENES = {
    "random": "random_genes",
    "scanpy `seurat`": "scanpy_seurat",
    "scanpy `seurat_v3`": "scanpy_seurat_v3",
    "scanpy `cell_ranger`": "scanpy_cell_ranger",
    "`VarianceRank`": "VarianceRank",
    "`IterFS`": "IterFS",
    "`IterFS`, `column_weight=X.var(axis=0)`": "IterFS_column_weight_variance",
}


def _genes() -> Iterator[tuple[str, str, str]]:
    for title, method in GENES.items():
        cells = (f"{{{method}_{word}}} %" for word in ("pca", "neighbors", "accuracy"))
        yield "docs/interop/scanpy.md", "genes", f"| {title} | {' | '.join(cells)} |"


#: File, its facts, and part of a sentence with fields in place of the numbers.
SENTENCES: tuple[tuple[str, str, str], ...] = (
    *_choosing(),
    *_genes(),
    ("docs/choosing.md", "leaderboard", "| all | mean rank of {n_ranked} |"),
    (
        "docs/choosing.md",
        "leaderboard",
        "(medians {choice_median}, {vote_median} and {aligned_median} s, the last of",
    ),
    ("docs/choosing.md", "leaderboard", "and loses {choice_loss} points for neighbors"),
    ("docs/choosing.md", "leaderboard", "better than {n_below_aligned} of the {n_others} others"),
    ("docs/choosing.md", "leaderboard", "{exact_missing} % of its fits are over the budget"),
    (
        "docs/choosing.md",
        "leaderboard",
        "It exceeds random columns on all {choice_wins_all} tables",
    ),
    ("docs/choosing.md", "leaderboard", "correlate with these by tau = {tau_scales}."),
    (
        "docs/structure_target.md",
        "structure",
        "{structure_greedy_start_mean} % with a greedy start, {local_search_mean} % for local "
        "search on the table, {aligned_mean} % for aligned columns, {random_mean} % for random",
    ),
    (
        "docs/structure_target.md",
        "structure",
        "on {wins_random} of {n_tables} tables with a random",
    ),
    (
        "docs/structure_target.md",
        "structure",
        "On the {n_one_unit} tables of the second look where they do, it was better on "
        "{variance_wins}, three of gene expression and one of methylation, by up to "
        "{variance_most} points, and worse on {variance_losses}, by up to {variance_least} points",
    ),
    (
        "src/sksieve/clustering/_srsg.py",
        "srsg",
        "accuracy is {loss} below the l1 graph's on average over {n_plain} sets without faces, "
        "{gain} above it on {n_faces} of faces",
    ),
    (
        "docs/sparse_graphs.md",
        "srsg",
        "the paper's algorithm, has {loss} less accuracy than the l1 graph on average over the "
        "{n_plain} sets of the reproduction without faces, and {gain} more on the {n_faces} of "
        "faces",
    ),
    (
        "benchmarks/papers/blufs.toml",
        "blufs",
        "Its lead over MCFS, {lead_Isolet}, {lead_JAFFE} and {lead_COIL20} points",
    ),
    (
        "benchmarks/papers/blufs.toml",
        "blufs",
        "On warpAR BLUFS has {blufs_warpAR10P}, below all columns ({all_columns_warpAR10P}) and "
        "six rivals, SPCAFS ({spcafs_warpAR10P}) first",
    ),
    ("benchmarks/papers/blufs.toml", "blufs", "warpAR. BLUFS has {blufs_warpAR10P} at the"),
    (
        "benchmarks/papers/blufs.toml",
        "blufs",
        "MCFS ({mcfs_Isolet}, {mcfs_JAFFE} and {mcfs_COIL20})",
    ),
    (
        "benchmarks/papers/blufs.toml",
        "blufs",
        "have {random_rank_Isolet} on Isolet, {random_rank_JAFFE} on JAFFE and "
        "{random_rank_COIL20} on COIL20, on each",
    ),
    (
        "benchmarks/papers/blufs.toml",
        "blufs",
        "have {knn_random_rank_Isolet} on Isolet, {knn_random_rank_JAFFE} on JAFFE and "
        "{knn_random_rank_COIL20} on COIL20: more",
    ),
    (
        "benchmarks/papers/lsdcl.toml",
        "lsdcl",
        "below random columns on Housing ({random_rank_housing}) and JAFFE ({random_rank_JAFFE})",
    ),
    (
        "docs/cost.md",
        "neighbors",
        "is {least} to {most} times as fast as scikit-learn's brute force at 10 000 x 50",
    ),
    (
        "benchmarks/papers/lsdcl.toml",
        "lsdcl",
        "and GLIOMA: {lsdcl_GLIOMA} at the defaults (printed 65.72), below all columns "
        "({all_columns_GLIOMA}). ORL and ECOLI are {below_ORL} and {below_ecoli343} points below",
    ),
    ("docs/cost.md", "neighbors", "with 5 columns its `kd_tree` is {tree} times as fast as ours"),
    (
        "docs/interop/scanpy.md",
        "genes",
        "`VarianceRank` has {VarianceRank_accuracy} % there, the flavors {least} to {most} %",
    ),
    (
        "benchmarks/papers/srsg.toml",
        "srsg",
        "growing supports have higher accuracy than the default on {n_growth} of {n_sets} tables",
    ),
)


def _pattern(template: str) -> re.Pattern[str]:
    """The template with any white space, and any numbers as groups."""
    parts = FIELD.split(template)
    texts = [r"\s+".join(map(re.escape, re.split(r"\s+", text))) for text in parts[::2]]
    return re.compile(f"({NUMBER})".join(texts))


def _matches() -> Iterator[tuple[Path, re.Match[str], list[str]]]:
    """File, the place of each sentence, and the numbers that belong there."""
    for file, facts, template in SENTENCES:
        path = ROOT / file
        found = _pattern(template).search(path.read_text(encoding="utf-8"))
        if found is None:
            raise LookupError(f"{file} has no sentence like {template!r}: change SENTENCES.")
        yield path, found, [_facts(facts)[name] for name in FIELD.findall(template)]


@cache
def _facts(name: str) -> dict[str, str]:
    return FACTS[name]()


def stale() -> list[str]:
    """Sentences with other numbers than the results have."""
    return [
        f"{path.relative_to(ROOT)}: {' '.join(found[0].split())!r} should have "
        f"{', '.join(expected)}."
        for path, found, expected in _matches()
        if list(found.groups()) != expected
    ]


def write() -> None:
    """Put the present numbers into all sentences."""
    for file, facts, template in SENTENCES:
        path = ROOT / file
        text = path.read_text(encoding="utf-8")
        found = _pattern(template).search(text)
        assert found is not None
        expected = [_facts(facts)[name] for name in FIELD.findall(template)]
        for i in range(len(expected), 0, -1):
            text = text[: found.start(i)] + expected[i - 1] + text[found.end(i) :]
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        write()
    problems = stale()
    print("\n".join(problems))
    sys.exit(bool(problems))
