"""
Biologist: find more genes of a pathway
=======================================

29 of 6,178 yeast genes are known targets of the transcription factor SWI4. Which other genes are likely
targets, and how many genes must be tested in the laboratory to find most of them?
"""

import pandas as pd

from onesided import CenterOfMassRanker, PUBagging, compare
from onesided.datasets import load_yeast

# %%
# The table holds the expression of each gene at 77 times of the cell cycle. The target is 1 for known targets. All
# other genes are unlabeled: each of them may be a target or not.

genes, known = load_yeast(return_X_y=True, as_frame=True)

# %%
# :func:`~onesided.compare` hides the known targets among the other genes in turn. A good method ranks them
# high although it does not know them.

found = compare(
    {
        "bagging": PUBagging(n_estimators=100, random_state=0),
        "center of mass": CenterOfMassRanker(),
    },
    genes,
    known,
)
print(found)

# %%
# The curve says how many genes must be tested to find a share of the targets. The first 100 genes are one in
# sixty of all genes, but they hold more than half of the hidden targets.

hidden = found.hidden["bagging"]
print(f"hidden targets among the first 100 genes: {(hidden.ranks < 100 / 6149).mean():.0%}")
hidden.plot()

# %%
# The best candidates. A gene's score comes from the models that did not see this gene as unlabeled
# (*out-of-bag score*).

scores = pd.Series(found.best_estimator_.oob_decision_function_, index=genes.index)
print(scores[known == 0].nlargest(5).round(2))
