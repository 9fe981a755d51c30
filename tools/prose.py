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
import reproduction
import structure_target
from sksieve.bench import USES
from sksieve.catalogue import METHODS

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
REPRODUCTION = RESULTS / "reproduction"

#: What a number of a sentence may look like, with the mark of a significant one or in bold.
NUMBER = r"(?:\*\*)?[-+]?\.?\d+(?:\.\d+)?(?:\\\*|\*\*)?"

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


def clusterers() -> dict[str, str]:
    """Tables of both boards, clusterers above k-means by the test, and the choice's wins."""
    facts = {}
    for key, name in (("", "clustering"), ("_held", "clustering-held-out")):
        board = boards.load(name, RESULTS)
        assert board is not None
        frame, baseline = next((f, b) for title, f, b in boards._kinds(board) if title == "tables")
        ranking = boards.standings(frame, boards.PARTITION, baseline=baseline, fill="")
        more = ranking.values["cluster_choice"] - ranking.values["spectral"]
        facts |= {
            f"n_tables{key}": str(len(more)),
            f"n_above{key}": str(len(boards._with_verdict(ranking, "above"))),
            f"choice_better{key}": str((more > 0).sum()),
            f"choice_worse{key}": str((more < 0).sum()),
        }
    return facts


@cache
def _shown(title: str) -> pd.DataFrame:
    """The cells of a paper's tables with a number of ours, as numbers; less: printed - ours."""
    (paper,) = (paper for paper in reproduction.read_papers() if paper.title == title)
    cells = [vars(cell) for cell in reproduction.cells(paper) if cell.status == "shown"]
    frame = pd.DataFrame(cells).astype({"printed": float})
    return frame.assign(less=frame["printed"] - frame["ours"])


def _of(frame: pd.DataFrame, value: str, *, setting: bool = False, **names: str) -> pd.DataFrame:
    """A value by data set (and setting) and method, of the cells with these names."""
    for column, name in names.items():
        frame = frame[frame[column] == name]
    index = frame["dataset"]
    if setting:
        index = (index + " " + frame["setting"]).str.strip()
    return frame.assign(index=index).pivot(index="index", columns="method", values=value)


def _span(name: str, values: pd.Series, digits: int) -> dict[str, str]:
    """The least and the largest number, without a leading zero."""
    values = values.dropna()
    texts = (_short(float(value), digits) for value in (values.min(), values.max()))
    return dict(zip((f"{name}_least", f"{name}_most"), texts))


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
    facts = {
        "loss": _short(loss[~faces].mean(), 3),
        "n_plain": str((~faces).sum()),
        "gain": _short(-loss[faces].mean(), 3),
        "n_faces": str(faces.sum()),
        "n_growth": str(ahead.sum()),
        "n_sets": str(len(acc)),
    }
    return facts | _srsg_printed(acc)


def _srsg_printed(acc: pd.DataFrame) -> dict[str, str]:
    """By how much ours are below the printed accuracies, or above them."""
    less = _of(_shown("SRSG"), "less", setting=True, metric="acc")
    printed = _of(_shown("SRSG"), "printed", setting=True, metric="acc")["SRSG"]
    names = printed.index.str.replace(r"(?: Face)? c=(\d+)", r"[:\1]", regex=True)
    ours = acc.reindex(names.str.replace("-", "")).set_axis(printed.index)
    corrected = printed - ours["srsg, the paper's algorithm"]
    literal = printed - ours["srsg, literal"]
    facts = {f"literal_{c}": _short(literal[f"COIL-20 c={c}"], 2) for c in (8, 12, 16, 20)}
    for name in ("COIL-20", "COIL-100", "Yale-B", "UMIST"):
        rows = less.index.str.startswith(name) & (less.index != "COIL-20 c=4")
        key = name.replace("-", "")
        facts |= _span(f"corrected_{key}", corrected[rows], 2)
        facts |= _span(f"literal_{key}", literal[rows].dropna(), 2)
        facts |= _span(f"above_{key}", -less.loc[rows, "SRSG"], 2)
        facts |= _span(f"below_{key}", less.loc[rows, "SRSG"], 2)
        facts[f"kmeans_{key}"] = _short(np.ceil(100 * less.loc[rows, "KM"].abs().max()) / 100, 2)
    tuned = _of(_shown("SRSG"), "tuned", setting=True, metric="acc")["LR-l1-graph"]
    facts |= _span("tuned_UMIST", tuned[tuned.index.str.startswith("UMIST")], 2)
    hundred = less.index.str.startswith("COIL-100")
    facts |= _span("spectral", -less.loc[hundred, ["SC", "SMCE"]].stack(), 2)
    return facts


def blufs() -> dict[str, str]:
    """Accuracies in per cent, mean over the numbers of columns: ``mcfs_COIL20``."""
    acc = 100 * _pivot(_runs("blufs", "blufs-seeds"), "acc")
    facts = {f"{m}_{d}": f"{acc.loc[d, m]:.2f}" for m in acc for d in acc.index}
    lead = acc["blufs"] - acc["mcfs"]
    facts |= {f"lead_{d}": f"{lead[d]:.2f}" for d in acc.index}
    facts |= {f"lead1_{d}": f"{lead[d]:.1f}" for d in acc.index}
    knn = 100 * _pivot(_runs("blufs-knn", "blufs-knn-seeds"), "knn_acc", "100")
    facts |= {f"knn_{m}_{d}": f"{knn.loc[d, m]:.1f}" for m in knn for d in knn.index}
    rivals = _of(_shown("BLUFS"), "ours", table="Table II").loc["warpAR"]
    facts["n_above_warpAR"] = str((rivals.drop(["Baseline", "BLUFS"]) > rivals["BLUFS"]).sum())
    rivals = _of(_shown("BLUFS"), "ours", table="Table VII").loc["warpAR"]
    facts["n_knn_above_warpAR"] = str((rivals > rivals["BLUFS"]).sum())
    printed = _of(_shown("BLUFS"), "less", table="Table II")
    return facts | _span("mcfs", -printed["MCFS"].drop("warpAR"), 0) | _blufs_cases()


def _blufs_cases() -> dict[str, str]:
    """Table V: the model with parts switched off, at the best number of columns and in the mean."""
    sets = ["Isolet", "JAFFE", "COIL20"]
    best, mean = (100 * _pivot(_runs("blufs-ablation"), "acc", k) for k in ("best", "mean"))
    case = "Case {}: {}".format
    lead = best[case("I", "feature level only")] - best["blufs"]
    late = mean["constraint at the end only"]
    facts = _span("case1", lead[sets], 1) | _span("fall", (mean["blufs"] - late)[sets], 0)
    third = best.loc["COIL20", case("III", "no learned graph")] - best.loc["COIL20", "blufs"]
    more = (mean["blufs"] - mean[case("I", "feature level only")])[sets]
    facts |= {"case3": f"{third:.1f}", "mean_less": f"{-more['JAFFE']:.1f}"}
    last = best.loc["warpAR10P"]
    facts["case2_warpAR"] = f"{last[case('II', 'clustering level only')]:.2f}"
    facts["case_warpAR"] = f"{last['blufs']:.2f}"
    history = pd.read_csv(REPRODUCTION / "history" / "blufs.csv")
    facts |= _span("iterations", history.groupby("dataset")["n_iter"].max(), 0)
    facts |= _span("mean_more", more.drop("JAFFE"), 1)
    for name in sets:
        facts |= {f"late_{name}": f"{late[name]:.1f}", f"at_{name}": f"{mean['blufs'][name]:.1f}"}
    return facts


def lsdcl() -> dict[str, str]:
    """Accuracies in per cent, mean over the numbers of columns: ``random_rank_JAFFE``."""
    frame = _runs("lsdcl", "lsdcl-large", "lsdcl-seeds", "lsdcl-seeds-large")
    acc = 100 * _pivot(frame, "acc")
    names = {d: re.sub(r"\W.*", "", str(d)) for d in acc.index}
    facts = {f"{m}_{names[d]}": f"{acc.loc[d, m]:.2f}" for m in acc for d in acc.index}
    less, ours = (_of(_shown("LSDCL"), v, table="Table 2", metric="acc") for v in ("less", "ours"))
    facts |= {f"below_{name}": f"{less.loc[name, 'LSDCL']:.1f}" for name in less.index}
    best = _of(_shown("LSDCL"), "tuned", table="Table 2", metric="acc")
    tuned = best["LSDCL"]
    gaps = (less + ours)["LSDCL"] - tuned
    facts |= {f"tuned_{name}": f"{value:.2f}" for name, value in tuned.items()}
    facts |= {f"tuned_below_{name}": f"{value:.1f}" for name, value in gaps.items()}
    facts["tuned_above_ECOLI"] = f"{-gaps['ECOLI']:.1f}"
    facts |= {f"average_{method}": f"{ours.loc['Average', method]:.2f}" for method in ours}
    facts["best_NDFS"] = f"{best.loc['Average', 'NDFS']:.2f}"
    spread = _pivot(frame.assign(value=pd.to_numeric(frame["std"])), "acc")
    facts["std_TOX"] = f"{100 * spread.loc['TOX_171', 'random_rank']:.2f}"
    return facts | _lsdcl_splits() | _lsdcl_chosen() | _lsdcl_parts()


def _lsdcl_splits() -> dict[str, str]:
    """Tables 4 and 6: means over the numbers of columns, tuned by labels and by default."""
    frame = _shown("LSDCL")
    frame = frame[frame["setting"].str.contains("k=mean")]
    facts = {}
    for table in ("Table 4", "Table 6"):
        rows = frame[frame["table"] == table]
        more = rows["tuned"] - rows["printed"]
        key = table.replace(" ", "").lower()
        facts |= {f"{key}_below": _short(-more.min(), 1), f"{key}_above": _short(more.max(), 1)}
        facts |= _span(f"{key}_default", rows["ours"], 0)
    hundred = frame[frame["setting"].str.endswith("n_train=100")].iloc[0]
    facts |= {"hundred": f"{hundred['tuned']:.1f}", "hundred_default": f"{hundred['ours']:.1f}"}
    return facts


def _lsdcl_chosen() -> dict[str, str]:
    """Accuracies of settings that labels choose for each number of columns."""
    frame = pd.read_csv(RESULTS / "lsdcl_quality.csv")
    facts = {}
    for key, method in (("chosen", "LSDCL"), ("lucky", "random")):
        given = frame["method"].str.match(f"{method}, best .*per count by labels")
        for row in frame[given].itertuples():
            facts[f"{key}_{re.sub(r',.*', '', row.set)}"] = f"{row.acc:.1f}"
    printed = _of(_shown("LSDCL"), "printed", table="Table 2", metric="acc")["LSDCL"]
    chosen = frame[frame["method"].str.match("LSDCL, best .*per count by labels")]
    below = printed - chosen.set_index(chosen["set"].map(LSDCL_SETS))["acc"]
    below = below.drop("ECOLI").dropna()  # seven of its columns only
    facts["chosen_below_TOX"] = f"{below.pop('TOX'):.1f}"
    return facts | {"chosen_below": f"{below.max():.1f}"}


def _lsdcl_parts() -> dict[str, str]:
    """Figure 2: accuracies of the whole model and its parts, at the best setting by labels."""
    frame = pd.read_csv(REPRODUCTION / "lsdcl-ablation.csv", dtype={"k": str})
    means = frame[(frame["score"] == "acc") & (frame["k"] == "mean")].set_index(["method", "role"])
    parts = {"m1": "M1", "m2": "M2", "m3": "M3", "whole": "LSDCL"}
    facts = {"random": f"{100 * means.loc[('random_rank', 'default'), 'value']:.1f}"}
    for key, start in parts.items():
        (name,) = {m for m, _ in means.index if m.startswith(f"{start}:")}
        facts[key] = f"{100 * means.loc[(name, 'tuned'), 'value']:.1f}"
    return {f"part_{key}": value for key, value in facts.items()}


def rpma() -> dict[str, str]:
    """Table 4: the settings against spectral clustering; Table 5: below the printed number."""
    frame = _runs("rpma-sbm")
    frame = frame[(frame["score"] == "acc") & (frame["k"] == "mean")].set_index("method")
    spectral = frame.loc["spectral"]
    settings = _of(_shown("RPMA"), "ours", setting=True, table="Table 4", metric="acc").stack()
    less = _of(_shown("RPMA"), "less", table="Table 5", metric="acc")
    programs = _pivot(_runs("rpma", "rpma-large"), "cpu")[["sdp1", "sdp2"]]
    return {
        "sdp_seconds": f"{programs.max(axis=None):.0f}",
        "sdp1_COIL20": _short(-less.loc["COIL20", "SDP-1"], 3),
        "sdp1_DIGIT10": _short(-less.loc["DIGIT10", "SDP-1"], 3),
        "sdp2_less": _short(less.loc["COIL20", "SDP-2"], 3),
        "spectral": _short(spectral["value"], 3),
        "spectral_std": _short(float(spectral["std"]), 3),
        "within": _short(float((settings - spectral["value"]).abs().max()), 3),
        "digit10": _short(less.loc["DIGIT10", "RPMA Sparse"], 3),
    }


def pocss() -> dict[str, str]:
    """Differences of Table 1, the settings of the weighted A* and the preparations tried."""
    ours, less, printed = (_of(_shown("POCSS"), v) for v in ("ours", "less", "printed"))
    lead, of_paper = ours["Iter FS"] - ours["POCSS"], printed["Iter FS"] - printed["POCSS"]
    facts = {
        "dna_lead": _short(lead["dna"], 3),
        "scene_lead": _short(-lead["scene"], 3),
        "musk_lead": _short(-lead["musk"], 3),
        "scene_printed": _short(of_paper["scene"], 3),
        "musk_printed": _short(of_paper["musk"], 3),
        "two_stage": _short(-less.loc["scene", "Two-stage"], 3),
        "iterfs": _short(less.loc["scene", "Iter FS"], 3),
    }
    weights = pd.read_csv(RESULTS / "astar_weights.csv")
    for name, of_set in weights.groupby("dataset")["error_ratio"]:
        facts |= _span(str(name), of_set, 3)
    errors = weights.loc[weights["dataset"] == "sonar", "error_ratio"]
    nearest = (errors - printed.loc["sonar", "WA*"]).abs().idxmin()
    facts |= {"nearest": f"{errors[nearest]:.3f}", "n_weights": str(len(errors))}
    preparations = pd.read_csv(RESULTS / "pocss_preparations.csv").groupby("dataset")["greedy"]
    for name, greedy in preparations:
        key = str(name).replace(" ", "_")
        facts |= {f"n_{key}": str(len(greedy)), **_span(key, greedy, 3)}
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


def _key(*names: object) -> str:
    """Names as one name of a fact."""
    return re.sub(r"\W+", "_", " ".join(map(str, names))).strip("_")


def _measured(frame: pd.DataFrame, digits: int) -> dict[str, str]:
    """Numbers of a table by the names of its row and column: ``iris_SPMA_nmi``."""
    return {
        _key(*(name if isinstance(name, tuple) else [name]), column): _short(value, digits)
        for name, row in frame.select_dtypes("number").iterrows()
        for column, value in row.items()
        if np.isfinite(value)
    }


def _file(name: str, *index: str) -> pd.DataFrame:
    return pd.read_csv(RESULTS / f"{name}.csv").set_index(list(index))


def blufs_quality() -> dict[str, str]:
    """Single sets, and means over the seven of the page: ``mean_BLUFS_acc``."""
    frame = _file("blufs_quality", "set", "method")
    means = frame.loc[list(BLUFS_SETS)].groupby("method").mean(numeric_only=True)
    return _measured(frame, 1) | _measured(pd.concat({"mean": means}), 1)


def lsdcl_quality() -> dict[str, str]:
    """Single sets, means over the eleven, and the printed numbers: ``printed_wine_nmi``."""
    frame = _file("lsdcl_quality", "set", "method")
    means = (
        frame.drop("ecoli, 5 to 7 columns", level="set").groupby("method").mean(numeric_only=True)
    )
    facts = _measured(frame, 1) | _measured(pd.concat({"mean": means}), 1)
    printed = _shown("LSDCL")
    printed = printed[(printed["method"] == "LSDCL") & printed["metric"].isin(["acc", "nmi"])]
    printed = printed[printed["table"].isin(["Table 2", "Table 3"])]
    printed = printed.pivot(index="dataset", columns="metric", values="printed")
    return facts | _measured(pd.concat({"printed": printed}), 1)


def lsdcl_concepts() -> dict[str, str]:
    """How alike concepts are, and accuracies, by the weight: ``USPS49_0_3_alike``."""
    frame = _file("lsdcl_concepts", "set", "lam1")
    facts = _measured(frame[["acc"]], 1)
    for (name, lam1), alike in frame["alike"].items():
        facts[_key(name, lam1, "alike")] = f"{alike:.2f}"
    return facts


def sparse_graphs() -> dict[str, str]:
    """Accuracies, the best of a set in bold: ``breast_SRSG``."""
    frame = _file("sparse_graph_quality", "data", "method")["acc"].unstack()
    frame = frame.loc[list(SPARSE_GRAPH_SETS), list(SPARSE_GRAPHS.values())]
    facts = {}
    for name, row in frame.iterrows():
        for method, value in row.items():
            text = _short(value, 3)
            facts[_key(name, method)] = f"**{text}**" if value == row.max() else text
    return facts


def srsg_cells() -> dict[str, str]:
    """Ours with four digits, 1 for a perfect one: ``COIL_20_c_4_SRSG_nmi``."""
    facts = {}
    for cell in _shown("SRSG").itertuples():
        text = _short(cell.ours, 4)
        facts[_key(cell.dataset, cell.setting, cell.method, cell.metric)] = text.removesuffix(
            ".0000"
        )
    return facts


def rpma_blocks() -> dict[str, str]:
    """Means over the graphs: ``n40_SPMA_accuracy``."""
    frame = pd.read_csv(RESULTS / "rpma_blocks.csv").assign(
        nodes=lambda f: "n" + f["nodes"].map(str)
    )
    return _measured(frame.groupby(["nodes", "method"]).mean(numeric_only=True), 3)


#: Sets that the defaults of row-sparse methods were not chosen on.
HELD_OUT = ("COIL20", "Isolet", "JAFFE", "Yale", "colon", "CNAE9")


def baselines() -> dict[str, str]:
    """Cost, defaults, speed against an earlier version and rules of the baselines."""
    speed = _file("ufs_speed", "set", "method")
    facts = {}
    for name, row in speed.iterrows():
        facts[_key(*name, "cpu")] = f"{row['cpu_seconds']:.3g}"
        facts[_key(*name, "memory")] = f"{row['peak_MB']:.0f}"
    defaults = pd.read_csv(RESULTS / "ufs_defaults.csv")
    group = np.where(defaults["set"].isin(HELD_OUT), "held", "chosen")
    for name, row in defaults.groupby([group, "method"]).mean(numeric_only=True).iterrows():
        facts |= {_key(*name, head): f"{row[head]:+.1f}" for head in DEFAULTS_HEADS}
    before = pd.read_csv(RESULTS / "ufs_speed_before.csv")
    before = before[(before["k"] == 50) & before["method"].isin(REVISED)]
    for row in before.itertuples():
        facts[_key(row.set, row.method, "ratio")] = f"{row.ratio:.1f}"
    apart = before[(before["method"] == "sogfs") & (before["set"] != "digits")]
    facts |= _span("same", apart["same_columns"].str.split().str[0].astype(int), 0)
    facts["higher"] = f"{1e4 * apart['objective_change'].astype(float).max():.1f}"
    rules = pd.read_csv(RESULTS / "ndfs_rules.csv").mean(numeric_only=True)
    return facts | {name: f"{value:.3f}" for name, value in rules.items() if "nmi" in str(name)}


def errors() -> dict[str, str]:
    """What the results say of each faulty step, as the page has it."""
    text = (RESULTS / "ufs_errors.md").read_text(encoding="utf-8")
    facts = {}
    for i, (pattern, factors, _) in enumerate(ERRORS):
        found = re.search(pattern, text)
        assert found is not None, pattern
        for j, (number, factor) in enumerate(zip(found.groups(), factors, strict=True)):
            facts[f"e{i}_{j}"] = number if factor == 1 else f"{factor * float(number):g}"
    return facts


FACTS: dict[str, Callable[[], dict[str, str]]] = {
    "leaderboard": leaderboard,
    "structure": structure,
    "clusterers": clusterers,
    "srsg": srsg,
    "blufs": blufs,
    "lsdcl": lsdcl,
    "rpma": rpma,
    "pocss": pocss,
    "blufs_quality": blufs_quality,
    "lsdcl_quality": lsdcl_quality,
    "baselines": baselines,
    "errors": errors,
    "lsdcl_concepts": lsdcl_concepts,
    "rpma_blocks": rpma_blocks,
    "rpma_data": lambda: _measured(_file("rpma_data", "set", "method"), 3),
    "sparse_graphs": sparse_graphs,
    "srsg_cells": srsg_cells,
    "genes": genes,
    "neighbors": neighbors,
}

# Sentences -------------------------------------------------------------------------------------

#: Rows of the table on choosing.
CHOOSING = (
    "choice", "aligned", "pocss", "greedy", "local_search", "blufs", "mcfs", "lsdcl",
    "variance", "lapscore", "leverage",
)  # fmt: skip


def _choosing() -> Iterator[tuple[str, str, str]]:
    names = {method.name: method.load().__name__ for method in METHODS}
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


#: Sets of the table on BLUFS.
BLUFS_SETS = ("JAFFE", "COIL20", "Isolet", "lung_small", "mfeat_pix", "lymphoma", "USPS49")

#: First cell of the table on the parts of BLUFS -> the rows of the results.
BLUFS_PARTS = {
    "defaults": ("BLUFS",),
    "`refine=True`": ("BLUFS refine",),
    '`path="forward"`': ("BLUFS path=forward",),
    '`solver="pam"`': ("BLUFS pam",),
    "case I: `alpha=0`, no clustering level after the start": ("BLUFS alpha=0",),
    "case III: `beta=0`, no adaptive graph": ("BLUFS beta=0",),
    "`alpha=0.1`, `alpha=10`": ("BLUFS alpha=0.1", "BLUFS alpha=10"),
    "`beta=0.1`, `beta=10`": ("BLUFS beta=0.1", "BLUFS beta=10"),
    "`lam=0.1`, `lam=10`": ("BLUFS lam=0.1", "BLUFS lam=10"),
    "`n_clusters` half, twice the true number": (
        "BLUFS half the clusters",
        "BLUFS twice the clusters",
    ),
    '`constraint="final"`: all rows of W, cut once at the end': ("BLUFS pam final",),
    "case II: that and `beta=0`, no feature level": ("BLUFS pam final beta=0",),
    '`graph="pca_whitened"`': ("BLUFS pca-whitened",),
}


def _pair(*names: str, columns: tuple[str, str] = ("acc", "nmi")) -> str:
    return "/".join(f"{{{_key(*names, column)}}}" for column in columns)


def _blufs_rows() -> Iterator[tuple[str, str, str]]:
    rivals = ("all columns", "random", "LaplacianScore", "MCFS")
    for name in BLUFS_SETS:
        best = _pair(name, "BLUFS", columns=("best_acc", "best_nmi"))
        cells = " | ".join(_pair(name, rival) for rival in rivals)
        row = f"| {name} | **{_pair(name, 'BLUFS')}** ({best}) | {cells} |"
        yield "docs/blufs.md", "blufs_quality", row
    for title, methods in BLUFS_PARTS.items():
        cells = ", ".join(_pair("mean", method) for method in methods)
        yield "docs/blufs.md", "blufs_quality", f"| {title} | {cells} |"


#: Sets of the table on LSDCL -> as the paper calls them.
LSDCL_SETS = {
    "housing": "Housing", "wine": "WINE", "USPS49": "USPS49", "zoo": "ZOO", "COIL20": "COIL20",
    "ecoli, 5 to 7 columns": "ECOLI", "JAFFE": "JAFFE", "TOX_171": "TOX",
}  # fmt: skip


def _lsdcl_rows() -> Iterator[tuple[str, str, str]]:
    by_labels = "best per count by labels"
    of_all = {"housing", "wine", "zoo", "ecoli, 5 to 7 columns"}
    columns = ("acc", "nmi_sqrt")
    for name, printed in LSDCL_SETS.items():
        methods = [f"LSDCL, {by_labels}", "random, best of as many per count by labels"]
        methods += [f"all subsets, {by_labels}"] * (name in of_all) + ["LSDCL", "random"]
        cells = [_pair(name, method, columns=columns) for method in methods]
        cells[2:2] = [] if name in of_all else [""]
        row = " | ".join([name, _pair("printed", printed), *cells]).replace("|  |", "| |")
        yield "docs/lsdcl.md", "lsdcl_quality", f"| {row} |"
    means = ("LSDCL", "random", "variance", "LaplacianScore", "MCFS", "all columns")
    cells = " | ".join(f"{{{_key('mean', method, 'acc')}}}" for method in means)
    yield "docs/lsdcl.md", "lsdcl_quality", f"|---|---|---|---|---|---|\n| {cells} |"
    for lam1, title in ((1.0, "1 (default)"), (0.3, "0.3"), (0.1, "0.1"), (0.01, "0.01")):
        names = ("USPS49", "COIL20", "digits")
        cells = " | ".join(_pair(n, str(lam1), columns=("alike", "acc")) for n in names)
        yield "docs/lsdcl.md", "lsdcl_concepts", f"| {title} | {cells} |".replace("/", ", ")


#: First cell of the table on sparse graphs -> the method in the results.
SPARSE_GRAPHS = {
    "k-means": "k-means",
    "`SpectralGraph`": "SpectralGraph",
    "`L1Graph`": "L1Graph",
    "`L1Graph(sparsifier=Sparsifier(top=2))`": "L1Graph, top 2",
    "`L1Graph(sparsifier=Sparsifier(threshold=0.1))`": "L1Graph, threshold 0.1",
    "`SRSG`": "SRSG",
}

#: Its sets.
SPARSE_GRAPH_SETS = ("COIL20", "COIL100, first 20", "YaleB", "breast", "heart", "ionosphere")

#: Sets of the table on projection matrices; then graphs, as in the results.
PROJECTIONS = (
    "iris", "wine", "digits, first 5", "digits", "mfeat_pix, first 5", "mfeat_pix",
    "COIL20, first 10", "COIL20",
)  # fmt: skip
NETWORKS = ("polblogs", "karate", "football")

#: First cell of the table on block models -> the method in the results.
BLOCKS = (
    {"spectral (lam = 0)": "spectral"}
    | dict.fromkeys(("SLSA", "SDP-1", "SDP-2"), "")
    | {name: name for name in ("SPMA", "PPMA", "BPMA")}
)


def _graph_rows() -> Iterator[tuple[str, str, str]]:
    page = "docs/sparse_graphs.md"
    for title, method in SPARSE_GRAPHS.items():
        cells = " | ".join(f"{{{_key(name, method)}}}" for name in SPARSE_GRAPH_SETS)
        yield page, "sparse_graphs", f"| {title} | {cells} |"
    for title, method in (("L1Graph", "l1-graph"), ("SRSG", "SRSG")):
        pairs = (_pair("COIL-20", f"c={c}", method) for c in (4, 8, 12, 16, 20))
        yield page, "srsg_cells", f"| `{title}` | {' | '.join(pairs)} |".replace("/", " / ")
    page, columns = "docs/communities.md", ("accuracy", "nmi")
    for name in PROJECTIONS:
        methods = ("spectral", "SPMA", "SPMA, lam chosen", "PPMA", "BPMA")
        cells = " | ".join(_pair(name, method, columns=columns) for method in methods)
        yield page, "rpma_data", f"| {name} | {cells} |"
    for name in NETWORKS:
        methods = ("spectral", "SPMA, lam 1", "BPMA", "BPMA, beta 2")
        cells = " | ".join(_pair(f"graph_{name}", method, columns=columns) for method in methods)
        yield page, "rpma_data", f"| {name} | {cells} |"
    for title, method in BLOCKS.items():
        cells = " | ".join(
            f"{{{_key(nodes, method or title, column)}}}"
            for nodes in ("n40", "n200")
            for column in ("accuracy", "nmi", "projector distance")
        )
        yield page, "rpma_blocks", f"| {title} | {cells} |"


#: Columns of the table on defaults, and methods revised since an older version.
DEFAULTS_HEADS = ("rebuilt_before", "rebuilt_now", "neighbours_before", "neighbours_now")
REVISED = ("ndfs", "sogfs", "rufs", "rne")

#: Faulty steps of other programs: numbers in the results, their factors, and the page's sentence.
ERRORS: tuple[tuple[str, tuple[float, ...], str], ...] = (
    (r"ahead of (\d+) that vary", (1,), "it ranks ahead of {} that vary"),
    (
        r"share ([\d.]+) of 20 columns on average, (\d+) at worst",
        (1, 1),
        "two bases share {} of 20 columns on average, {} at worst",
    ),
    (
        r"cosine of its M and the right one is ([\d.]+)",
        (1,),
        "the cosine between its M and the right one is {}",
    ),
    (
        r"its M knows (\d+) of 208 samples; 10 columns chosen share (\d+)",
        (1, 1),
        "M knows {} of 208 samples; {} of 10 columns are the same",
    ),
    (
        r"entries of F down to (-[\d.]+), objective up by (\d+)%",
        (1, 1),
        "entries down to {}, the objective up by {} % in a step",
    ),
    (
        r"F moves by (\S+) from .*; rank correlation with regression on them ([\d.]+)",
        (100, 1),
        "moved by {} %; rank correlation {} with regression on the start",
    ),
    (r"cosine with the Laplacian ([\d.]+)", (1,), "cosine {} with the Laplacian"),
    (
        r"G moves by (\S+) for zeta = 1e7 \(([\d.]+) for the default",
        (100, 100),
        "G moves by {} %, {} % for the default here",
    ),
    (
        r"(\d+)% for lambda = 8 alpha, (\d+)% for lambda = 64 alpha",
        (1, 1),
        "by {} % in a loop for 8 `alpha`, by {} % for 64 `alpha`",
    ),
    (
        r"sonar: rank correlation ([\d.]+); wine: rank correlation ([\d.]+)",
        (1, 1),
        "rank correlation of the two {} on sonar, {} on wine",
    ),
    (
        r"rises in (\d+) of 30 steps",
        (1,),
        "what it logs rises in {} of 30 steps while the objective falls",
    ),
    (
        r"of the optimum: paper ([\d.]+), worst ([\d.]+); here ([\d.]+), worst ([\d.]+)",
        (1, 1, 1, 1),
        "{} of the optimum, {} at worst; here {} and {}",
    ),
    (
        r"run into one of ten, exactly, in (\d+) to (\d+) steps",
        (1, 1),
        "run into one of ten bases, exactly, in {} to {} steps",
    ),
)


def _baseline_rows() -> Iterator[tuple[str, str, str]]:
    page = "docs/baselines.md"
    for i, (_, factors, sentence) in enumerate(ERRORS):
        fields = (f"{{e{i}_{j}}}" for j in range(len(factors)))
        yield page, "errors", sentence.format(*fields)
    for method in ("spcafs", "udfs", "sogfs", "ulap", "l1ufs"):
        for group, title in (("chosen", "13 chosen on"), ("held", "6 held out")):
            cells = " | ".join(f"{{{group}_{method}_{head}}}" for head in DEFAULTS_HEADS)
            yield page, "baselines", f"| {method} | {title} | {cells} |"
    measured = pd.read_csv(RESULTS / "ufs_speed.csv").groupby("method", sort=False)["set"].agg(set)
    names = {method.name: method.load().__name__ for method in METHODS}
    for method in SPEED:
        cells = " | ".join(
            f"{{{name}_{method}_cpu}} s, {{{name}_{method}_memory}} MB"
            if name in measured[method]
            else "not measured"
            for name in ("digits", "COIL20", "TOX_171")
        )
        yield page, "baselines", f"| {names[method]} | {cells} |"
    for method in REVISED:
        sets = ("digits", "COIL20", "TOX_171", "Isolet")
        cells = " | ".join(f"{{{name}_{method}_ratio}}" for name in sets)
        yield page, "baselines", f"| {method.upper()} | {cells} |"
    yield (
        page,
        "baselines",
        ("it ends at most {higher}e-4 (relative) higher, with {same_least} to {same_most} of 50"),
    )
    rules = [", ".join(f"{{nmi_{k}_{rule}}}" for k in (10, 20)) for rule in ("now", "before")]
    yield (
        page,
        "baselines",
        (
            f"is {rules[0]} and {{nmi_50_now}} on average, with the rule {rules[1]} and "
            "{nmi_50_before}"
        ),
    )


#: Methods of the table on speed.
SPEED = (
    "lapscore", "mcfs", "fspca", "spcafs", "udfs", "ndfs", "sogfs", "ulap", "rufs", "rne", "blsfs",
    "l1ufs", "blsfe", "variance", "random_rank",
)  # fmt: skip

#: Paper -> parts of its summary and remarks.
REMARKS: dict[str, tuple[str, ...]] = {
    "blufs": (
        "by {lead1_Isolet}, {lead1_JAFFE} and {lead1_COIL20} points of accuracy over MCFS",
        "warpAR. BLUFS has {blufs_warpAR10P} at the defaults (printed 38.45), below "
        "{n_above_warpAR} of its rivals and below random columns ({random_rank_warpAR10P})",
        "mean accuracy falls by {fall_least} to {fall_most} points",
        "MCFS is {mcfs_least} to {mcfs_most} points above its printed numbers",
        "Its lead over MCFS, {lead_Isolet}, {lead_JAFFE} and {lead_COIL20} points",
        "MCFS ({mcfs_Isolet}, {mcfs_JAFFE} and {mcfs_COIL20}) is {mcfs_least} to {mcfs_most} "
        "points",
        "have {random_rank_Isolet} on Isolet, {random_rank_JAFFE} on JAFFE and "
        "{random_rank_COIL20} on COIL20, on each",
        "On warpAR BLUFS has {blufs_warpAR10P}, below all columns ({all_columns_warpAR10P}), "
        "random columns ({random_rank_warpAR10P}) and {n_above_warpAR} rivals, SPCAFS "
        "({spcafs_warpAR10P}) first",
        "Case I has {case1_least} to {case1_most} points more accuracy, and on COIL20 Case III "
        "{case3}; in the mean over the numbers of columns BLUFS has {mean_more_least} to "
        "{mean_more_most} more on Isolet and COIL20 and {mean_less} less on JAFFE",
        "mean accuracy is {late_Isolet}, {late_JAFFE} and {late_COIL20} on Isolet, JAFFE and "
        "COIL20, against {at_Isolet}, {at_JAFFE} and {at_COIL20}. On warpAR Case II, without the "
        "constraint, is first, with {case2_warpAR} (BLUFS: {case_warpAR})",
        "{iterations_least} to {iterations_most} iterations, by our solver",
        "have {knn_random_rank_Isolet} on Isolet, {knn_random_rank_JAFFE} on JAFFE and "
        "{knn_random_rank_COIL20} on COIL20: more",
        "on Isolet (MCFS {knn_mcfs_Isolet})",
        "on warpAR {n_knn_above_warpAR} rivals are above it",
    ),
    "lsdcl": (
        "TOX is {below_TOX} points below the printed number",
        "TOX ({chosen_TOX_171} at the best settings for each number of columns by labels",
        "and GLIOMA: {lsdcl_GLIOMA} at the defaults and {tuned_GLIOMA} at the best of 13 settings "
        "by labels (printed 65.72), below random columns ({random_rank_GLIOMA}) and all columns "
        "({all_columns_GLIOMA}). ORL is {below_ORL} points below the printed number at the "
        "defaults and {tuned_below_ORL} at the best setting by labels; ECOLI is {below_ECOLI} "
        "below at the defaults and {tuned_above_ECOLI} above at the best",
        "LSDCL has {average_LSDCL}, and {tuned_Average} at the best setting of each set by labels "
        "(printed 71.10), all features {average_AllFea} (printed 62.11), "
        "and NDFS, the first of the selections, {average_NDFS}, and {best_NDFS} chosen so",
        "below random columns on Housing ({random_rank_housing}), JAFFE ({random_rank_JAFFE}) and "
        "GLIOMA ({random_rank_GLIOMA})",
        "from 300 rankings ours has {chosen_housing} on Housing, {chosen_wine} on WINE, "
        "{chosen_USPS49} on USPS49, {chosen_zoo} on ZOO, {chosen_COIL20} on COIL20, "
        "{chosen_JAFFE} on JAFFE and {chosen_TOX_171} on TOX; 300 random rankings chosen so have "
        "{lucky_housing}, {lucky_wine}, {lucky_USPS49}, {lucky_zoo}, {lucky_COIL20}, "
        "{lucky_JAFFE} and {lucky_TOX_171} (",
        "is above the printed number or at most {chosen_below} points below it on all of these "
        "but TOX ({chosen_below_TOX})",
        "On TOX the defaults are {below_TOX} below it, near all columns ({all_columns_TOX_171}) "
        "and random columns ({random_rank_TOX_171} ± {std_TOX})",
        "between {table4_below} below and {table4_above} above the printed ones, on the training "
        "part (Table 6) between {table6_below} below and {table6_above} above: the tables repeat. "
        "It takes labels: the defaults have {table4_default_least} to {table4_default_most}",
        "M3 above M1 ({part_whole}, {part_m3} and {part_m1} in the mean over the numbers of "
        "columns); that M2 ({part_m2}) is above M1 does not repeat, and only the whole model is "
        "above random columns ({part_random})",
    ),
    "pocss": (
        "POCSS has {dna_lead} less on dna; on scene and musk IterFS has {scene_lead} and "
        "{musk_lead} less than POCSS, where the paper has {scene_printed} and {musk_printed} more",
        "The nearest of {n_weights} settings has {nearest} on sonar",
        "None of {n_Arrhythmia}, {n_musk} and {n_Com_Cri} preparations tried",
        "the nearest of {n_Arrhythmia} (benchmarks/results/pocss_preparations.md), whose Greedy "
        "range from {Arrhythmia_least} to {Arrhythmia_most}",
        "with columns in [-1, 1], the nearest of {n_musk}, whose Greedy range from "
        "{musk_least} to {musk_most}",
        "and columns in [-1, 1], the nearest of {n_Com_Cri}, whose Greedy range from "
        "{Com_Cri_least} to {Com_Cri_most}",
        "there Two-stage is {two_stage} above and IterFS {iterfs} below the printed number",
        "give {sonar_least} to {sonar_most} on sonar, the nearest to the printed number being "
        "{nearest}, and {dna1400_least} to {dna1400_most} on dna",
    ),
    "rpma": (
        "Over 20 draws all 35 settings lie within {within} of spectral clustering's {spectral}",
        "Over 20 graphs spectral clustering has {spectral} ± {spectral_std}, and the means of all "
        "35 settings lie within {within} of it",
        "On DIGIT10 SPMA has {digit10} less accuracy than printed",
        "The semidefinite programs take up to {sdp_seconds} s",
        "one run, of up to {sdp_seconds} s. SDP-1, first here on COIL20 and DIGIT10, has "
        "{sdp1_COIL20} and {sdp1_DIGIT10} more accuracy there than printed, and SDP-2 {sdp2_less} "
        "less on COIL20",
    ),
    "srsg": (
        "k-means on COIL-100 within {kmeans_COIL100}, on UMIST within {kmeans_UMIST}",
        "is {literal_8}, {literal_12}, {literal_16} and {literal_20} below the printed SRSG on "
        "COIL-20 with 8, 12, 16 and 20 objects",
        "{literal_YaleB_least} to {literal_YaleB_most} below on Yale B and "
        "{literal_COIL100_least} to {literal_COIL100_most} below on COIL-100 with 20 and 40",
        "is {corrected_COIL20_least} to {corrected_COIL20_most} below the printed SRSG on COIL-20 "
        "from 8 objects on, {corrected_COIL100_least} to {corrected_COIL100_most} below on "
        "COIL-100 and {corrected_YaleB_least} to {corrected_YaleB_most} below on Yale B",
        "are {above_COIL20_least} to {above_COIL20_most} above the printed numbers on COIL-20 from "
        "8 objects on, {above_YaleB_least} to {above_YaleB_most} above on Yale B, and between "
        "{below_COIL100_most} below and {above_COIL100_most} above on COIL-100, "
        "{above_UMIST_least} to {above_UMIST_most} above on UMIST",
        "growing supports have higher accuracy than the default on {n_growth} of {n_sets} tables",
        "are {spectral_least} to {spectral_most} above their printed numbers on COIL-100",
        "SRSG as printed, corrected, is {corrected_COIL20_least} to {corrected_COIL20_most} below "
        "the printed SRSG, and the defaults are {above_COIL20_least} to {above_COIL20_most} above",
        "On it k-means is within {kmeans_COIL100} of the printed numbers; spectral clustering and "
        "SMCE, whose settings the paper does not state, are {spectral_least} to {spectral_most} "
        "above them, and SRSG as printed, corrected, is {corrected_COIL100_least} to "
        "{corrected_COIL100_most} below",
        "while the defaults are between {below_COIL100_most} below and {above_COIL100_most} above",
        "There SRSG as printed, corrected, is {corrected_YaleB_least} to {corrected_YaleB_most} "
        "below the printed SRSG, and the defaults are {above_YaleB_least} to {above_YaleB_most} "
        "above it",
        "on UMIST the best of them has {tuned_UMIST_least} to {tuned_UMIST_most} (printed",
    ),
}


def _papers() -> Iterator[tuple[str, str, str]]:
    for paper, remarks in REMARKS.items():
        for remark in remarks:
            yield f"benchmarks/papers/{paper}.toml", paper, remark


#: File, its facts, and part of a sentence with fields in place of the numbers.
SENTENCES: tuple[tuple[str, str, str], ...] = (
    *_choosing(),
    *_genes(),
    *_papers(),
    *_blufs_rows(),
    *_lsdcl_rows(),
    *_graph_rows(),
    *_baseline_rows(),
    ("docs/choosing.md", "leaderboard", "| all | mean rank of {n_ranked} |"),
    (
        "docs/choosing.md",
        "leaderboard",
        "median fits take {choice_median}, {aligned_median} and {pocss_median} s.",
    ),
    ("docs/choosing.md", "leaderboard", "better than {n_below_aligned} of the {n_others} others"),
    ("docs/choosing.md", "leaderboard", "{exact_missing} % of its fits are over the budget"),
    (
        "docs/choosing.md",
        "leaderboard",
        "`ColumnChoice` exceeds random columns on all {choice_wins_all} tables",
    ),
    ("docs/choosing.md", "leaderboard", "correlate with these by tau = {tau_scales}."),
    (
        "docs/choosing.md",
        "clusterers",
        "On the {n_tables} tables of the [leaderboard](leaderboard/clusterers.md) it is better "
        "than spectral clustering alone on {choice_better}, worse on {choice_worse} and",
    ),
    (
        "docs/howto/choose_method.md",
        "clusterers",
        "Better than k-means by the test are {n_above} clusterers on the {n_tables} tables of the "
        "[leaderboard](../leaderboard/clusterers.md) and {n_above_held}, `SMCE`, on the "
        "{n_tables_held} tables",
    ),
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
    ("docs/columns.md", "pocss", "WA* apart ({nearest} here, 2.785 there)"),
    ("docs/lsdcl.md", "lsdcl", "ours come within {chosen_below_TOX} points of them in accuracy"),
    (
        "docs/lsdcl.md",
        "lsdcl",
        "k-means finds {hundred} % of the other samples' classes (paper 91.9, defaults "
        "{hundred_default};",
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
        "docs/cost.md",
        "neighbors",
        "is {least} to {most} times as fast as scikit-learn's brute force at 10 000 x 50",
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
