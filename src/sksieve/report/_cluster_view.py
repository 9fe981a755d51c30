"""From a clustering to the values its page shows."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from .._wording import SCALED
from ..evaluation import Partition, inside_shares
from ..evaluation._binned import binned_adjacency, darkest, n_cells
from ..evaluation._groups import (
    group_links,
    principal_plane,
    separating_columns,
    weakest_members,
)
from ..evaluation._layout import graph_layout
from ._cluster_result import ClusteringResult
from ._figures import convergence_chart
from ._pictures import signed_picture
from ._repeat import loading_lines, made_by, repeat_view
from ._text import NARROW, clean, count, duration, iterations, percent, plural, typeset

#: Side of the image of the graph, in cells, at most.
CELLS = 360
#: A graph's map that holds less of the variance is left out.
FLAT = 0.2
#: Columns, weakest members, pairs of groups and vertices of a group that are named.
COLUMNS, WEAKEST, PAIRS, VERTICES = 15, 12, 10, 8
#: Members whose groups are on the page to download and look up, at most.
MEMBERS = 100_000
#: Lines between groups beyond so many are drawn faintly.
FAINT = 7
#: Groups whose means stand in the table of columns one beside the other.
BESIDE = 6
#: Colors of the map; later groups have dots with a hole, then dots with a dark core.
COLORS = 8
#: From here on means and degrees have powers of ten.
LARGEST = 1e9
#: A map of more groups has no numbers: they would hide each other.
NUMBERED = 40


def clustering_view(result: ClusteringResult) -> dict[str, Any]:
    """Everything the template needs; a section whose data are missing is None."""
    graph = result.is_graph
    group = "community" if graph else "cluster"
    member = "vertex" if graph else "sample"
    data_name = clean(result.data_name)
    k = len(result.partition.joined)
    return {
        "title": f"{data_name}: {k} {'communities' if graph else 'clusters'}",
        "kind": "Communities" if graph else "Clustering",
        "group": group,
        "groups": "communities" if graph else "clusters",
        "member": member,
        "members": "vertices" if graph else "samples",
        "data_name": data_name,
        "headline": _headline(result),
        "measured": _measured(result.partition),
        "number": [
            typeset(clean(line)) for line in (*result.number, *filter(None, [result.stability]))
        ],
        "members_data": _members(result),
        "most_members": MEMBERS,
        "notes": [clean(note) for note in result.notes],
        "facts": _facts(result),
        "sizes": _size_rows(result.partition),
        "alone": len(result.partition.sizes) - k,
        "silhouettes": result.partition.silhouettes is not None,
        "map": _map(result),
        "drawing": _drawing(result) if graph else None,
        "image": _image(result),
        "columns": None if graph else _columns(result),
        "vertices": _vertices(result) if graph else None,
        "weakest": _weakest(result),
        "links": _links(result.partition) if k > 2 else None,
        "against": _against(result),
        "convergence": _convergence(result.estimator, result.compiling > 0),
        "repeat": repeat_view(result, _python(result)),
    }


def _headline(result: ClusteringResult) -> str:
    parts = result.partition
    shown = parts.sizes[parts.joined]
    n, k, low, high = (int(size) for size in (shown.sum(), len(shown), shown.min(), shown.max()))
    of_all = "" if k == len(parts.sizes) else f" of {count(int(parts.sizes.sum()))}"
    members = f"{count(n)}{of_all} {'vertices' if result.is_graph else 'samples'}"
    groups = "communities" if result.is_graph else "clusters"
    sizes = f"of {count(low)} each" if low == high else f"of {count(low)} to {count(high)}"
    text = (
        f"{members} in {k} {groups} {sizes}. {percent(parts.share_inside)} of the graph's weight "
        f"lies inside {groups}"
    )
    if not result.is_graph:  # random edges are no baseline for a graph made from points
        return f"{text}."
    return f"{text}; {percent(parts.share_expected)} is expected at random."


def _measured(partition: Partition) -> str:
    parts = int(np.count_nonzero(partition.component_sizes > 1))
    whole = parts == 1 and not partition.n_isolated
    text = f"The graph has {plural(partition.n_edges, 'edge')} and is "
    text += "connected." if whole else f"not connected: {plural(parts, 'component')} with edges"
    if not whole:
        alone = partition.n_isolated
        text += f", the largest of {count(int(partition.component_sizes[0]))}"
        text += f", and {count(alone)} without an edge." if alone else "."
    return f"{text} Modularity: {partition.modularity:.3f}."


def _facts(result: ClusteringResult) -> list[tuple[str, str]]:
    est, partition = result.estimator, result.partition
    method = ("Method", f"{clean(result.method)} ({type(est).__name__})")
    time = [("Time", "unknown" if result.seconds is None else duration(result.seconds))]
    if result.compiling:
        time.append(("Compiling, once", duration(result.compiling)))
    if result.is_graph:
        return [
            ("Vertices", count(int(partition.sizes.sum()))),
            ("Edges", count(partition.n_edges)),
            ("Density within", _number(partition.density_within)),
            ("Density between", _number(partition.density_between)),
            method,
            *time,
        ]
    facts = [
        ("Rows", count(result.X.shape[0])),
        ("Columns", count(result.X.shape[1])),
        ("Scaling", SCALED[result.scale]),
        method,
        *time,
    ]
    if partition.silhouette is not None:
        rows = int(partition.sizes.sum())
        of = "" if partition.n_sampled == rows else f" (of {count(partition.n_sampled)} rows)"
        facts.insert(2, ("Silhouette", f"{partition.silhouette:.2f}{of}"))
    return facts


def _number(value: float) -> str:
    return "none" if math.isnan(value) else f"{value:.3g}"


def _size_rows(partition: Partition) -> list[dict[str, Any]]:
    densities, sizes = np.diagonal(partition.densities), partition.sizes
    silhouettes = partition.silhouettes
    return [
        {
            "group": int(k),
            "size": count(int(sizes[k])),
            "bar": round(100 * float(sizes[k]) / float(sizes.max()), 2),
            "share": percent(float(sizes[k] / sizes.sum())),
            "inside": "no edge"
            if math.isnan(partition.inside[k])
            else percent(float(partition.inside[k])),
            "density": _number(float(densities[k])),
            "silhouette": ""
            if silhouettes is None or math.isnan(silhouettes[k])
            else f"{silhouettes[k]:.2f}".replace("-", "\N{MINUS SIGN}"),
        }
        for k in partition.joined
    ]


def _map(result: ClusteringResult) -> dict[str, Any] | None:
    """A map of the table as the method saw it; of a graph, of what k-means saw, if it ran."""
    labels = result.estimator.labels_
    points = getattr(result.estimator, "embedding_", None) if result.is_graph else result.seen
    points = result.X if points is None else points
    if points is None:
        return None
    places, groups, share = principal_plane(points, labels)
    if result.is_graph and share < FLAT:
        return None
    x, y = 1000 * places[:, 0], 1000 * (1 - places[:, 1])
    paths, marks = [], []
    for k in range(len(result.partition.sizes)):
        members = groups == k
        dots = "".join(f"M{a:.0f} {b:.0f}h0" for a, b in zip(x[members], y[members]))
        paths.append({"color": k % COLORS, "level": _level(k), "path": dots})
        if members.any() and k in result.partition.joined:
            marks.append((k, float(np.median(x[members])) / 10, float(np.median(y[members])) / 10))
    sampled = "" if len(groups) == len(labels) else f"{count(len(groups))} of them, at random. "
    what = "points that k-means saw" if result.is_graph else "table"
    scaled = "" if result.is_graph else f" ({SCALED[result.scale]})"
    return {
        "paths": paths,
        "marks": [(k, round(a, 2), round(b, 2)) for k, a, b in marks if len(marks) <= NUMBERED],
        "text": f"{sampled}The two directions in which the {what}{scaled} "
        f"{'spread' if result.is_graph else 'spreads'} most; they hold {percent(share)} of the "
        "variance. Groups that overlap here may be apart in the other directions.",
    }


def _level(k: int) -> int:
    """0 for the groups that have a color for themselves, then 1 and 2, which mark their dots."""
    return k // COLORS % 3


def _drawing(result: ClusteringResult) -> dict[str, Any] | None:
    """Vertices and edges of a small graph, colored by community."""
    drawn = graph_layout(result.estimator.affinity_)
    if drawn is None:
        return None
    places, edges = drawn
    labels = result.estimator.labels_
    x, y = 25 + 950 * places[:, 0], 25 + 950 * (1 - places[:, 1])
    inside = labels[edges[:, 0]] == labels[edges[:, 1]]
    lines = {
        style: "".join(f"M{x[a]:.0f} {y[a]:.0f}L{x[b]:.0f} {y[b]:.0f}" for a, b in edges[which])
        for style, which in (("inside", inside), ("between", ~inside))
    }
    names = _names(result) or [str(v) for v in range(len(labels))]
    degree = np.bincount(edges.ravel(), minlength=len(labels))
    dots = [
        {
            "color": int(k) % COLORS,
            "level": _level(int(k)),
            "x": round(float(a) / 10, 2),
            "y": round(float(b) / 10, 2),
            "name": f"{name}: community {k}, {plural(int(d), 'edge')}",
        }
        for k, a, b, name, d in zip(labels, x, y, names, degree)
    ]
    text = (
        "Dots are vertices, colored by community; the name appears under the pointer. Edges inside "
        "a community are dark, those between communities light. Distances follow the numbers of "
        "steps from vertex to vertex."
    )
    return {"lines": lines, "dots": dots, "text": text}


def _image(result: ClusteringResult) -> dict[str, Any]:
    partition, A, labels = result.partition, result.estimator.affinity_, result.estimator.labels_
    if len(partition.joined) < len(partition.sizes) and hasattr(A, "__getitem__"):
        members = np.flatnonzero(np.isin(labels, partition.joined))
        A, labels = A[members][:, members], labels[members]
    means, edges = binned_adjacency(A, labels, n_cells(A, CELLS))
    n = len(labels)
    bounds = [0, *(int(at) for at in edges), n]
    cells = n / len(means)
    return {
        "picture": signed_picture(means, darkest(means)),
        "lines": [round(100 * at / n, 3) for at in edges],
        "faint": len(edges) > FAINT,
        "marks": [
            (k, round(50 * (a + b) / n, 3))
            for k, (a, b) in zip(partition.joined.tolist(), pairwise(bounds))
            if b - a >= 0.03 * n
        ],
        "text": "One dot is one pair."
        if cells == 1
        else f"One dot is the mean over {cells:.1f} x {cells:.1f} pairs.",
        "summary": f"Image of the graph with its members ordered by group. "
        f"{percent(partition.share_inside)} of its weight lies in the squares on the diagonal.",
    }


def _columns(result: ClusteringResult) -> dict[str, Any] | None:
    labels = result.estimator.labels_
    separating = separating_columns(result.X, labels, COLUMNS)
    if not len(separating.columns):
        return None
    names = [clean(name) or "(no name)" for name in result.feature_names]
    k = len(result.partition.sizes)
    rows = []
    for j, share, means in zip(separating.columns, separating.shares, separating.means):
        low, high = int(means.argmin()), int(means.argmax())
        rows.append(
            {
                "name": names[j],
                "share": percent(float(share)),
                "bar": round(100 * float(share), 2),
                "means": [_short(v) for v in means] if k <= BESIDE else [],
                "span": f"lowest in {low} ({_short(means[low])}), highest in {high} "
                f"({_short(means[high])})",
            }
        )
    return {"rows": rows, "beside": k <= BESIDE, "total": result.X.shape[1], "k": k}


def _short(value: float) -> str:
    """Four digits; numbers up to `LARGEST` in full, such as 415 500."""
    text = f"{value:.4g}"
    if "e+" in text and abs(value) < LARGEST:
        text = f"{float(text):,.0f}".replace(",", NARROW)
    return text.replace("-", "\N{MINUS SIGN}")


def _names(result: ClusteringResult) -> list[str] | None:
    return None if result.names is None else [clean(name) or "(no name)" for name in result.names]


def _vertices(result: ClusteringResult) -> list[dict[str, Any]]:
    """The vertices of each community with most weight."""
    est, names = result.estimator, _names(result)
    degree = np.asarray(est.affinity_.sum(axis=1)).ravel()
    rows = []
    for k in result.partition.joined.tolist():
        members = np.flatnonzero(est.labels_ == k)
        best = members[np.argsort(-degree[members], kind="stable")[:VERTICES]]
        named = [(names[v] if names else str(v), _short(degree[v])) for v in best]
        rows.append({"group": k, "vertices": named, "more": len(members) > len(best)})
    return rows


def _weakest(result: ClusteringResult) -> dict[str, Any] | None:
    est, names = result.estimator, _names(result)
    noun = "vertex" if result.is_graph else "row"
    weakest = weakest_members(est.affinity_, est.labels_, WEAKEST)
    if not len(weakest.members):
        return None
    rows = [
        {
            "name": names[i] if names else f"{noun} {i}",
            "group": int(group),
            "share": percent(float(share)),
            "bar": round(100 * float(share), 2),
            "drawn": int(drawn) if drawn != group else None,
        }
        for i, group, drawn, share in zip(
            weakest.members, weakest.groups, weakest.drawn_to, weakest.shares
        )
    ]
    return {"rows": rows, "outside": weakest.outside, "unnamed": names is None}


def _members(result: ClusteringResult) -> dict[str, Any] | None:
    """Group of every member with its share of weight inside, for the script; None for too many."""
    labels = np.asarray(result.estimator.labels_)
    if len(labels) > MEMBERS:
        return None
    shares, strongest = inside_shares(result.estimator.affinity_, labels)
    return {
        "member": "vertex" if result.is_graph else "row",
        "group": "community" if result.is_graph else "cluster",
        "groups": labels.tolist(),
        "names": _names(result),
        "inside": [None if np.isnan(share) else round(100 * share) for share in shares.tolist()],
        "drawn": strongest.tolist(),
    }


def _links(partition: Partition) -> list[tuple[int, int, str, float]]:
    pairs = group_links(partition.weights, PAIRS)
    top = pairs[0][2] if pairs else 1.0
    return [(a, b, percent(share), round(100 * share / top, 2)) for a, b, share in pairs]


def _against(result: ClusteringResult) -> str | None:
    if result.against is None:
        return None
    name, accuracy, nmi, n_labels, n_used = result.against
    n = len(result.estimator.labels_)
    of = "" if n_used == n else f" Only the {count(n_used)} of {count(n)} that have one count."
    return (
        f"Compared with {clean(name)!r} ({plural(n_labels, 'label')}), which was set aside and not "
        f"used: accuracy {accuracy:.3f} under the best map of groups to labels, normalized mutual "
        f"information {nmi:.3f}.{of}"
    )


def _convergence(est: Any, has_compiled: bool) -> dict[str, Any] | None:
    history = getattr(est, "history_", None)
    if not history:
        return None
    reason = getattr(est, "stop_reason_", "")
    return {
        "chart": convergence_chart(history, reason),
        "text": iterations(history, reason, has_compiled),
    }


def _python(result: ClusteringResult) -> str:
    """The clustering as about ten lines of Python."""
    data = "A" if result.is_graph else "X"
    imports, body = loading_lines(result, data)
    if result.scale == "minmax":
        imports.append("from sklearn.preprocessing import MinMaxScaler")
        body.append("X = MinMaxScaler().fit_transform(X)")
    home, creation = made_by(result.estimator, "est")
    imports.append(home)
    body += [creation, f"labels = est.fit_predict({data})"]
    return "\n".join([*dict.fromkeys(imports), "", *body])
