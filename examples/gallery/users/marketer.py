"""
Marketer: how many letters pay off
==================================

Some customers bought last year. Nobody asked the others. A letter costs 2 and a buyer brings 30: to how many
customers should the letter go?
"""

import altair as alt
import numpy as np
import pandas as pd

from onesided import rank_table

# %%
# The customers are made up, so that the truth is known. One in eight would buy, and half of these buyers are
# known.

rng = np.random.default_rng(0)
n = 3000
customers = pd.DataFrame(
    {
        "age": rng.normal(45, 15, n).round(),
        "visits": rng.poisson(4, n),
        "newsletter": rng.choice(["yes", "no"], n, p=[0.3, 0.7]),
    }
)
taste = customers["visits"] - 0.05 * customers["age"] + 2 * (customers["newsletter"] == "yes")
would_buy = taste + rng.normal(0, 1, n) > 5.2
customers["buyer"] = (would_buy & (rng.random(n) < 0.5)).astype(int)

# %%
# :func:`~onesided.rank_table` reads the table, compares methods and ranks all customers who have not bought.
# ``value`` and ``cost`` ask for the length of list with the highest expected profit.

ranking = rank_table(
    customers,
    "buyer",
    methods=["naive-bayes", "logistic"],
    scenario="single-training-set",
    value=30,
    cost=2,
)
for sentence in ranking.profit_sentences:
    print(sentence)

# %%
# What did the letters really bring? The picture compares the profit that the ranking earns with that of
# letters to customers in random order.

rows = ranking.to_frame("pandas")["row"].to_numpy() - 1
letters = np.arange(1, len(rows) + 1)
buyers = would_buy.to_numpy()[rows]
profit = pd.DataFrame(
    {
        "letters": np.tile(letters, 2),
        "profit": np.concatenate(
            [30 * buyers.cumsum() - 2 * letters, (30 * buyers.mean() - 2) * letters]
        ),
        "order": np.repeat(["by rank", "random"], len(rows)),
    }
)
alt.Chart(profit[::20]).mark_line().encode(x="letters:Q", y="profit:Q", color="order:N")
