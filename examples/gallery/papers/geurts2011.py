"""
Geurts 2011: is the signal more than chance?
============================================

With few positives any flexible score separates them from the rest. :class:`~onesided.SignificanceRanker` compares
the positives with random sets of the same size. Its adjusted p-value says whether random sets separate as well.
"""

import altair as alt
import numpy as np
import pandas as pd

from onesided import SignificanceRanker

# %%
# In the first table 12 of 300 objects stand out in one of five features, and eight of them are labeled. In the
# second table nothing stands out.

rng = np.random.default_rng(0)
y = np.arange(300) < 8
noise = rng.normal(size=(300, 5))
signal = noise.copy()
signal[:12, 0] += 2

# %%
# The fitted score separates the labeled objects in both tables. Only the adjusted p-value tells the tables apart.

p_values, rows = {}, []
for name, X in {"signal": signal, "noise": noise}.items():
    model = SignificanceRanker(random_state=0).fit(X, y)
    p_values[name] = model.adjusted_p_value(n_resamples=199, random_state=0)
    print(f"{name}: adjusted p-value {float(p_values[name]):.3f}")
    rows.append(pd.DataFrame({"score": model.decision_function(X), "labeled": y, "table": name}))

# %%

alt.Chart(pd.concat(rows)).mark_tick().encode(
    x="score:Q", y=alt.Y("labeled:N"), color="labeled:N", row=alt.Row("table:N", title=None)
).resolve_scale(x="independent")

# %%
# In the table with a signal, no random set is as far from the other objects as the labeled objects are.

p_values["signal"].plot()

# %%
# Both tables side by side are two sources of features. The ranker learns a weight for each source, and each source has
# a p-value of its own.

sources = {"signal": slice(0, 5), "noise": slice(5, 10)}
model = SignificanceRanker(sources=sources, random_state=0).fit(np.hstack([signal, noise]), y)
print(model.source_weights_)
found = model.source_p_values(199, random_state=0)
found.to_frame()

# %%

found.plot()
