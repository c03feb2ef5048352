"""
Vomlel 2004: causes that may fail
=================================

In a noisy-or each cause that is present brings about the effect, unless it fails. One number for each cause says how
often it fails, so the model explains itself.
"""

import numpy as np
import pandas as pd

from onesided import NoisyOrClassifier

# %%
# Four words may make a story one about wheat. The word "wheat" fails in 10 % of stories, "crop" in 60 %, and the
# other two words mean nothing.

rng = np.random.default_rng(0)
words = ["wheat", "crop", "bank", "ship"]
X = pd.DataFrame(rng.integers(0, 2, (4000, 4)), columns=words)
works = rng.random((4000, 4)) < [0.9, 0.4, 0.0, 0.0]
y = (X.to_numpy() * works).any(axis=1)

# %%
# EM finds how often each word fails although nobody saw which word was the cause.

model = NoisyOrClassifier(restricted=True, leak=False).fit(X, y)
print(pd.Series(model.inhibition_[:, 1], index=words).round(2))

# %%
# The picture shows what the presence of each word does.

model.plot_activations()
