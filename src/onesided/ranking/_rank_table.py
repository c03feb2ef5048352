"""The main job in one call."""

import shlex
from collections.abc import Sequence
from inspect import signature
from os import PathLike
from typing import Any

from onesided._labels import Scenario
from onesided._text import as_option
from onesided._typing import OnProgress
from onesided.exceptions import gathered_warnings
from onesided.model_selection import fits_elsewhere
from onesided.ranking._plan import plan_ranking
from onesided.ranking._promised import PROMISES
from onesided.ranking._promises import Promises
from onesided.ranking._rank import rank_problem
from onesided.ranking._ranking import Ranking
from onesided.tables import read_problem


def rank_table(  # noqa: PLR0913 - each says how one thing is read, or decided
    table: str | PathLike[str] | Any,
    positive: str = "",
    *,
    positive_table: str | PathLike[str] | None = None,
    identifier: str = "",
    group: str = "",
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    text: Sequence[str] = (),
    methods: Sequence[str] = (),
    class_prior: float | None = None,
    resamples: int = 0,
    confidence: float = 0.95,
    prior_at_least: float | None = None,
    irreducible: bool = False,
    known_negative: str = "",
    known_negative_table: str | PathLike[str] | None = None,
    scenario: Scenario | None = None,
    top: int | None = None,
    delimiter: str | None = None,
    random_state: int = 0,
    n_workers: int | None = None,
    cluster: str | None = None,
    on_progress: OnProgress | None = None,
    **promises: float | None,
) -> Ranking:
    """Rank the unlabeled rows of a table by likeness to the positive ones.

    Some rows are known to be positive; the others are unlabeled, positive or not. Methods are
    compared by how well each ranks the known positives, hidden in turn among the unlabeled. The
    best one is taken, and each unlabeled row is scored by a model in which it did not count as
    unlabeled.

    Parameters
    ----------
    table : path of a file or folder of any format that is read, or a data frame (pandas, polars or
        Arrow)
    positive : column of labels: 1, true, yes, x or the only value beside blanks marks a positive
        row; with ``COLUMN=VALUE`` rows with that value are positive
    positive_table : path of a file of positive rows, in place of `positive`
    identifier : column that names the rows; by default they are numbered
    group : column of what rows have in common; positives of a group are hidden together
    drop, categorical, text : columns not to learn from, to read as categories, and as text
    methods : names of methods to compare, as `onesided.methods.find_method` takes them; by default
        those that suit the table
    class_prior : share of positives among the unlabeled, for methods that need it; by default they
        estimate it
    resamples : number of random label sets to repeat the comparison with, for a p-value
    confidence : of `recall`, and of what is said of the share of positives
    prior_at_least : declares that at least this share of the unlabeled is positive
    irreducible : declares that the highest rows can only be positive
    known_negative : column that marks rows verified to be negative; they are no candidates
    known_negative_table : path of a file of such rows
    scenario : the sampling story, "single-training-set" or "case-control": estimates how many rows
        are positive, and the probability of each
    top : number of candidates to list; by default all
    delimiter : between the cells of a CSV file; found in its first lines by default
    random_state : number that random draws start from
    n_workers : number of processes that learn; by default this one
    cluster : address of a Dask scheduler whose workers learn
    on_progress : called with the stage, the number of steps done, and of all, 0 if unknown
    promises : shares that are promised of the list. ``recall`` marks the first rows that hold this
        share of the positives; ``discard`` the last rows of which at most this share is positive;
        ``fdr`` the first rows of which at most this share is negative. Half of the known positives
        are held out for them.

    Returns
    -------
    the ranking, as `onesided rank` makes it with a report

    Raises
    ------
    OnesidedError : if the table cannot be read or ranked, or a promise cannot be had
    """
    reading: dict[str, Any] = {
        "positive": positive,
        "positive_table": positive_table,
        "identifier": identifier,
        "group": group,
        "drop": drop,
        "categorical": categorical,
        "text": text,
        "known_negative": known_negative,
        "known_negative_table": known_negative_table,
        "delimiter": delimiter,
    }
    asking: dict[str, Any] = {
        **promises,
        "confidence": confidence,
        "prior_at_least": prior_at_least,
        "irreducible": irreducible,
    }
    deciding: dict[str, Any] = {
        "methods": methods,
        "class_prior": class_prior,
        "resamples": resamples,
        "random_state": random_state,
    }
    showing: dict[str, Any] = {"scenario": scenario, "top": top}
    has_negative = bool(known_negative or known_negative_table)
    asked = Promises.of(**asking, known_negative=has_negative)
    with fits_elsewhere(n_workers, cluster):
        with gathered_warnings() as notes:
            problem = read_problem(table, **reading)
            plan = plan_ranking(problem, promises=asked, **deciding)
        return rank_problem(
            plan,
            **showing,
            notes=notes,
            command=command_of(table, **reading, **asking, **deciding, **showing),
            on_progress=on_progress,
        )


def command_of(table: Any, **arguments: Any) -> str:
    """The command line that makes the same ranking; of a data frame, the call in Python.

    Parameters
    ----------
    table : path, as it was given, or a data frame
    arguments : of `rank_table`; those that say nothing else than the default are left out
    """
    known = signature(rank_table).parameters
    order = [*known]
    place = order.index("confidence")
    order[place:place] = [each.argument for each in PROMISES]
    given = {
        name: _plain(arguments[name])
        for name in sorted(arguments, key=order.index)
        if arguments[name] and not (name in known and arguments[name] == known[name].default)
    }
    if not isinstance(table, str | PathLike):
        passed = ["table", *(f"{name}={value!r}" for name, value in given.items())]
        return f"onesided.rank_table({', '.join(passed)})"
    options = (as_option(name, value) for name, value in given.items())
    return " ".join(["onesided rank", shlex.quote(str(table)), *options])


def _plain(value: Any) -> Any:
    """A value as a person would write it."""
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, PathLike) else value
