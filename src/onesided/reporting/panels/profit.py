"""What the list is worth, by the value of a positive and the cost of a row."""

import altair as alt

from onesided._charts import INK, POSITIVE, UNLABELED, Chart
from onesided._ranked import Ranked
from onesided._worth import ProfitFacts, profit_sentences
from onesided.reporting._charts import HEIGHT, rows, styled
from onesided.reporting._panel import Facts, Panel, Pictures


def _facts(ranked: Ranked) -> Facts:
    found = ranked.profit
    sentences = profit_sentences(found, ranked.table.num_rows)
    return {"profit": found, "profit_sentences": list(sentences)}


def _charts(report: Facts) -> Pictures:
    found = report["profit"]
    if not found or not found["curve"]:
        return {}
    what = f"{found['kind'].capitalize()} profit of the list against its length, with its interval."
    return {"profit": (_profit_chart(found), what)}


def _profit_chart(found: ProfitFacts) -> Chart:
    """Profit by length, its band by the class prior, and a line at the best length."""
    x = alt.X("n_listed:Q", title="rows in the list, from the top")
    base = alt.Chart(rows(found["curve"])).encode(x=x)
    named = f"{found['kind']} profit"
    drawn = "profit_high:Q" if found["kind"] == "possible" else "profit:Q"
    band = base.mark_area(color=UNLABELED, opacity=0.18)
    line = base.mark_line(color=POSITIVE, strokeWidth=2.5)
    layers = [
        band.encode(y=alt.Y("profit_low:Q", title=named), y2=alt.Y2("profit_high:Q")),
        line.encode(y=alt.Y(drawn, title=named)),
    ]
    for length, dash in ((found["n_best"], [1, 0]), (found["n_affordable"], [5, 4])):
        if length:
            rule = alt.Chart(rows([{"n_listed": length}]))
            layers.append(rule.mark_rule(color=INK, strokeDash=dash).encode(x=alt.X("n_listed:Q")))
    return styled(alt.layer(*layers), height=HEIGHT)


PANEL = Panel(__file__, _facts, "Profit", _charts)
