"""The structure of a network as a chart."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from onesided._typing import Floats, Ints

Edge: TypeAlias = tuple[int, int, float]
"""The places of the parent and of the child among the features, and the weight in nats."""


def edges_of(parents: Ints, weights: Floats) -> list[Edge]:
    """The edges of a fitted network; `parents` has a row for each feature, −1 for no parent."""
    return [
        (int(parent), child, float(weights[parent, child]))
        for child, own in enumerate(parents)
        for parent in np.atleast_1d(own)
        if parent >= 0
    ]


def chart(names: list[str], edges: list[Edge]) -> Any:
    """An Altair chart: each feature below its parents, in the column of its first child."""
    import altair as alt  # noqa: PLC0415 - only a picture needs it

    from onesided._charts import POSITIVE, data  # noqa: PLC0415 - it loads Altair

    parents: list[list[int]] = [[] for _ in names]
    for parent, child, _ in edges:
        parents[child].append(parent)
    place, depth = _layout(parents)
    nodes = data({"name": names, "place": place, "depth": depth})
    above, below = [edge[0] for edge in edges], [edge[1] for edge in edges]
    columns: dict[str, Any] = {"weight": [edge[2] for edge in edges]}
    columns |= {"place": place[above], "to_place": place[below]}
    columns |= {"depth": depth[above], "to_depth": depth[below]}
    x = alt.X("place:Q", axis=None, scale=alt.Scale(padding=40))
    y = alt.Y("depth:Q", axis=None, scale=alt.Scale(reverse=True, padding=24))
    lines = (
        alt.Chart(data(columns))
        .mark_rule(color="#8a9bb0")
        .encode(
            x=x,
            y=y,
            x2="to_place:Q",
            y2="to_depth:Q",
            strokeWidth=alt.StrokeWidth(
                "weight:Q", title="nats", scale=alt.Scale(range=[0.7, 5], zero=True)
            ),
            tooltip=[alt.Tooltip("weight:Q", format=".3g", title="edge weight, nats")],
        )
    )
    base = alt.Chart(nodes).encode(x=x, y=y)
    dots = base.mark_circle(size=90, color=POSITIVE, opacity=1).encode(tooltip="name:N")
    labels = base.mark_text(dy=-13, fontSize=11).encode(text="name:N")
    halo = base.mark_text(dy=-13, fontSize=11, stroke="white", strokeWidth=4).encode(text="name:N")
    width = 60 * (int(place.max()) + 1) + 80
    height = 60 * (int(depth.max()) + 1) + 40
    return (
        alt.layer(lines, dots, halo, labels)
        .properties(width=max(width, 240), height=height)
        .configure_view(stroke=None)
    )


def _layout(parents: list[list[int]]) -> tuple[Floats, Ints]:
    """Column and row of each feature: it is below all its parents, and leaves are side by side.

    Only the first parent of a feature determines its column, so the columns are those of a tree.
    """
    n = len(parents)
    first = [own[0] if own else -1 for own in parents]
    children: list[list[int]] = [[] for _ in range(n)]
    for child, parent in enumerate(first):
        if parent >= 0:
            children[parent].append(child)
    place, column = np.zeros(n), 0
    stack = [(root, False) for root in reversed(range(n)) if first[root] < 0]
    while stack:  # no recursion: a chain may be long
        node, done = stack.pop()
        if done:
            place[node] = np.mean([place[child] for child in children[node]])
        elif not children[node]:
            place[node] = column
            column += 1
        else:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children[node]))
    depth = np.zeros(n, dtype=np.int64)
    for _ in range(n):  # the longest way from the top; done when nothing moves
        below = [max((depth[parent] + 1 for parent in own), default=0) for own in parents]
        if (depth == below).all():
            break
        depth = np.array(below, dtype=np.int64)
    return place, depth
