"""What the page says of all rows, beside `Audit.count`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from checking.example import page_of
from onesided.audit import Audit

KEYS = {"y": True, "n": False, "?": None}


def begun(kind, rng):
    """An audit, its scores, and rows of a page, of which some may be checked already."""
    n = 2000 if kind == "much known" else 400
    truth = rng.random(n) < (0.5 if kind == "much known" else 0.2)
    scores = truth + rng.normal(size=n)
    audit = Audit(scores, random_state=int(rng.integers(100)), confidence=0.9)
    if kind == "much known":
        audit.record(audit.draw(700), truth[audit.drawn])
    if kind == "read from the top":
        audit.record(audit.draw(30), truth[audit.drawn])
        return audit, scores, audit.draw(25, what="found", recall=0.9)
    first = audit.draw(25)
    if kind == "one batch":
        return audit, scores, first
    audit.record(first[5:], [None, *truth[first[6:]]])
    others = np.setdiff1d(np.arange(n), audit.drawn)[:5]
    audit.record(others, truth[others])
    audit.draw(15, what="precision", k=50)
    if kind == "all drawn":
        return audit, scores, rng.permutation(audit.drawn)
    audit.record(first, truth[first])
    if kind == "much known":  # some verdicts of before can be corrected
        return audit, scores, np.append(audit.waiting, audit.drawn[600:605])
    return audit, scores, audit.waiting


def with_verdicts(audit, scores, positions, verdicts):
    """The same audit after the verdicts of some rows; "" for none."""
    found = Audit.from_dict(audit.to_dict(), scores)
    given = [at for at, verdict in enumerate(verdicts) if verdict != ""]
    found.record(positions[given], [verdicts[at] for at in given])
    return found


def shown(tab):
    return [
        float(tab.locator(f"#{each}").get_attribute("value")) for each in ("point", "low", "high")
    ]


@pytest.mark.parametrize(
    "kind", ["one batch", "next batch", "all drawn", "read from the top", "much known"]
)
def test_the_page_computes_what_python_does(tab, folder, rng, kind):
    """After each of many verdicts, of rows before and after gaps, and of steps back."""
    audit, scores, positions = begun(kind, rng)
    codes = {True: "yes", False: "no", None: "?"}
    before = dict(zip(audit.checked.tolist(), audit.verdicts, strict=True))
    verdicts = [before.get(position, "") for position in positions.tolist()]
    data = page_of(audit, positions)
    for row, verdict in zip(data["rows"], verdicts, strict=True):
        row["verdict"] = codes.get(verdict, "")
    tab.goto(folder.write(data))
    known = audit.count()
    assert_allclose(shown(tab), [known.point, *known.interval], rtol=1e-6)
    tab.get_by_role("button", name="Table").click()
    n_waiting = 0
    for step in range(40):
        place = int(rng.integers(len(positions))) if step % 3 else step // 2 % len(positions)
        key = str(rng.choice(["y", "n", "n", "?"]))
        tab.locator(f"#all tr[data-place='{place}'] .open").focus()
        tab.keyboard.press(key)
        undone, verdicts[place] = verdicts[place], KEYS[key]
        if step % 10 == 7:
            tab.keyboard.press("u")
            verdicts[place] = undone
        found = with_verdicts(audit, scores, positions, verdicts).count()
        assert_allclose(shown(tab), [found.point, *found.interval], rtol=1e-6, atol=1e-6)
        said = tab.locator("#waiting").text_content()
        assert said.startswith(f"{found.n_waiting} verdict") == (found.n_waiting > 0)
        n_waiting += found.n_waiting
    for place in range(len(positions)):
        tab.locator(f"#all tr[data-place='{place}'] .open").focus()
        tab.keyboard.press("n" if verdicts[place] is False else "y")
        verdicts[place] = verdicts[place] is not False
    found = with_verdicts(audit, scores, positions, verdicts).count()
    assert_allclose(shown(tab), [found.point, *found.interval], rtol=1e-6)
    assert n_waiting > 0
    assert found.interval[1] - found.interval[0] < 395  # some bets were won


def test_all_rows_of_a_small_ranking(tab, folder):
    """The interval closes on the number of positives."""
    audit = Audit(np.arange(12.0))
    positions = audit.draw(12)
    tab.goto(folder.write(page_of(audit, positions)))
    assert "Nothing is known" in tab.locator("#waiting").text_content()
    assert not tab.locator("#estimate").is_visible()
    for key in "yn?nnnnnnyn":
        tab.keyboard.press(key)
    assert tab.locator("#estimate").is_visible()
    tab.keyboard.press("y")
    assert shown(tab)[1:] == [3, 4]


def test_a_planned_audit_gives_no_constants():
    audit = Audit(np.arange(50.0), mode="planned")
    assert audit.page_constants(audit.draw(5)) is None
