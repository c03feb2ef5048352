"""Goals: what must be known for checking to end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from onesided._text import as_percent
from onesided._validation import check_number
from onesided.audit import Audit, AuditEstimate
from onesided.audit._record import What, check_what
from onesided.exceptions import TableError

_COUNT = re.compile(r"count\s+([\d.,]+\s*%?)", re.IGNORECASE)
_SHARE = re.compile(
    r"(precision|recall)\s+([\d.,]+\s*%?)\s+of\s+(?:the\s+)?first\s+([\d, ]+)", re.IGNORECASE
)
_CLOSE, _NARROWER = 0.005, 0.9
_FOUND = re.compile(r"(?:found|recall)\s+([\d.,]+\s*%?)", re.IGNORECASE)


@dataclass(frozen=True)
class Goal:
    """The goal at which checking ends.

    Attributes
    ----------
    what : "count": the number of positives is known with the relative half width `share`;
        "precision" or "recall": it is certain whether the first `k` rows reach the value `share`;
        "found": it is certain that at least the share `share` of all positives is found
    share : half width divided by the count; or the precision, the recall or the share found
    k : number of first rows, for "precision" and "recall"

    Examples
    --------
    >>> from onesided.checking import Goal
    >>> goal = Goal("count", 0.2)  # the number of positives, within 20 %
    >>> goal.what, goal.share
    ('count', 0.2)
    """

    what: What
    share: float
    k: int | None = None

    def __post_init__(self) -> None:
        """Refuse a goal that no audit can reach."""
        check_what(self.what)
        check_number(self.share, "share", "Pass 0.95 for example.", above=0, below=1)
        if self.what in ("precision", "recall"):
            check_number(self.k, "k", "Pass a number of first rows.", at_least=1, whole=True)

    @classmethod
    def parse(cls, text: str) -> Goal:
        """The goal that a text describes.

        Examples of texts: "count 20%", "recall 0.95 of first 2000", "precision 80% of first 100"
        and "found 95%".

        Raises
        ------
        TableError : if the text has none of these forms
        """
        if match := _COUNT.fullmatch(text.strip()):
            return cls("count", _share(match[1], text))
        if match := _SHARE.fullmatch(text.strip()):
            k = int(re.sub(r"[, ]", "", match[3]) or 0)
            if k < 1:
                raise TableError(
                    f"{text!r} is a goal for a list of 0 rows.", "Pass a number of first rows."
                )
            what: Literal["precision", "recall"] = (
                "recall" if match[1].lower() == "recall" else "precision"
            )
            return cls(what, _share(match[2], text), k)
        if match := _FOUND.fullmatch(text.strip()):
            return cls("found", _share(match[1], text))
        raise TableError(
            f"{text!r} is not a goal.",
            'Pass "count 20%", "recall 0.95 of first 2000", "precision 0.8 of first 100" or '
            '"found 0.95".',
        )

    def estimate(self, audit: Audit) -> AuditEstimate:
        """The current estimate of the number that the goal is about."""
        if self.what == "found":
            return audit.found()
        if self.what == "count":
            return audit.count()
        return (audit.precision_at if self.what == "precision" else audit.recall_at)(self.k or 1)

    def is_met(self, audit: Audit) -> bool | None:
        """True if the goal is reached, False if it is certainly out of reach, otherwise None."""
        known = self.estimate(audit)
        if self.what == "count":
            return True if known.half_width <= self.share * known.point else None
        low, high = known.interval
        if low >= self.share:
            return True
        return False if high < self.share else None

    def rows_to_check(self, audit: Audit) -> int:
        """Expected number of rows still to check until the goal is reached or out of reach."""
        if self.is_met(audit) is not None:
            return 0
        if self.what == "count":
            return audit.cost(self.share)
        if self.what == "found":
            return audit.cost(1 - self.share, "found")
        known = self.estimate(audit)
        away = max(abs(known.point - self.share), _CLOSE)
        return audit.cost(min(away, _NARROWER * known.half_width), self.what, self.k)

    def draw(self, audit: Audit, n: int) -> int:
        """Draw rows for the goal; return how many were drawn."""
        return len(audit.draw(n, what=self.what, k=self.k, recall=self.share))

    def __str__(self) -> str:
        share = as_percent(self.share)
        if self.what == "count":
            return f"number of positives ± {share}"
        if self.what == "found":
            return f"{share} of the positives of this ranking found"
        return f"{self.what} of {share} among the first {self.k or 1:,} rows of this ranking"


def _share(text: str, goal: str) -> float:
    number = text.replace(" ", "").replace(",", ".")
    try:
        share = float(number.rstrip("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise TableError(
            f"{text!r} in the goal {goal!r} is not between 0 and 1.",
            "Pass a share, such as 0.95 or 95%.",
        )
    return share
