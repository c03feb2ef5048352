"""
Ecologist: where else a species may live
========================================

Sightings say where a species was found, never where it is absent. People also look mostly near roads. This example
learns the records of one species against the records of *other* species, so that the effort of the observers
cancels.
"""

import altair as alt
import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

from onesided import WeightedLogisticRegression

# %%
# A made-up map: moisture changes from south to north, and a road runs along the west. The species likes moist
# places. People mostly visit places near the road.

rng = np.random.default_rng(0)
sites = pd.DataFrame({"east": rng.random(6000), "north": rng.random(6000)})
sites["moisture"] = sites["north"] + rng.normal(0, 0.1, 6000)
sites["road_distance"] = sites["east"] + rng.normal(0, 0.02, 6000)
is_suitable = rng.random(6000) < 1 / (1 + np.exp(-12 * (sites["moisture"] - 0.7)))
is_visited = rng.random(6000) < 0.4 * np.exp(-5 * sites["east"])
sighted = is_suitable & is_visited & (rng.random(6000) < 0.5)
other_species = is_visited & ~sighted  # somebody was there and recorded another species

# %%
# The same model learns twice: the sightings against all other sites, and against sites where others were recorded.

features = ["moisture", "road_distance"]
model = make_pipeline(SplineTransformer(4), WeightedLogisticRegression(C=0.1))
maps = []
for background, rows in {"all other sites": ~sighted, "other species": other_species}.items():
    learned = sighted | rows
    model.fit(sites.loc[learned, features], sighted[learned])
    score = model.decision_function(sites[features])
    auc = roc_auc_score(is_suitable, score)
    print(f"{background}: AUC against the true suitability {auc:.3f}")
    maps.append(
        sites.assign(rank=pd.Series(score).rank(pct=True), background=f"against {background}")
    )

# %%
# Against all sites the model learns the road. Against other species it learns the moisture.

places = ["east", "north"]
cells = pd.concat(maps).assign(**(sites[places] * 20).astype(int) / 20)
cells = cells.groupby(["background", *places], as_index=False)["rank"].mean()
alt.Chart(cells).mark_square(size=150, opacity=1).encode(
    x="east:Q",
    y="north:Q",
    color=alt.Color("rank:Q", title="mean rank", scale=alt.Scale(scheme="viridis")),
    column=alt.Column("background:N", title=None),
).properties(width=240, height=240)
