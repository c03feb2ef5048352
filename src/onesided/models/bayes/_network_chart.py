"""The structure of a network as a picture."""

from typing import Any

import numpy as np

from onesided._text import printable
from onesided._typing import Floats, Ints


def chart(names: list[str], parents: Ints, weights: Floats) -> Any:
    """An Altair chart: each feature below its parents, in the column of its first child."""
    import altair as alt  # noqa: PLC0415 - only a picture needs it
    import pyarrow as pa  # noqa: PLC0415

    from onesided._charts import POSITIVE  # noqa: PLC0415

    place, depth = _layout(parents)
    shown = [printable(name) for name in names]
    nodes = pa.table({"name": shown, "place": place, "depth": depth})
    edges = pa.Table.from_pylist(
        [
            {
                "place": float(place[parent]),
                "depth": int(depth[parent]),
                "to_place": float(place[child]),
                "to_depth": int(depth[child]),
                "weight": float(weights[parent, child]),
            }
            for child, own in enumerate(parents)
            for parent in own[own >= 0]
        ],
        schema=pa.schema(
            {
                "place": pa.float64(),
                "depth": pa.int64(),
                "to_place": pa.float64(),
                "to_depth": pa.int64(),
                "weight": pa.float64(),
            }
        ),
    )
    x = alt.X("place:Q", axis=None, scale=alt.Scale(padding=40))
    y = alt.Y("depth:Q", axis=None, scale=alt.Scale(reverse=True, padding=24))
    lines = (
        alt.Chart(edges)
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


def _layout(parents: Ints) -> tuple[Floats, Ints]:
    """Column and row of each feature: below all its parents; leaves side by side.

    In the columns only the first parent counts, so that they are those of a tree.
    """
    n = len(parents)
    first = [int(own[own >= 0][0]) if (own >= 0).any() else -1 for own in parents]
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
        below = [max((depth[p] + 1 for p in own[own >= 0]), default=0) for own in parents]
        if (depth == below).all():
            break
        depth = np.array(below, dtype=np.int64)
    return place, depth
