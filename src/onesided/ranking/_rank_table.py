"""The main job in one call."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

from onesided._labels import Scenario
from onesided._text import as_option
from onesided._typing import OnProgress
from onesided._validation import check_arguments
from onesided._worth import Worth
from onesided.exceptions import gathered_warnings
from onesided.model_selection import fits_elsewhere
from onesided.ranking._plan import plan_ranking
from onesided.ranking._promised import PROMISES
from onesided.ranking._promises import Promises
from onesided.ranking._rank import rank_problem
from onesided.ranking._ranking import Ranking
from onesided.tables import read_problem
from onesided.tables._background import Borrowed
from onesided.tables._known_rows import Paths

_NOT_IN_COMMAND = ("table", "n_workers", "cluster", "on_progress", "promises")


def rank_table(  # noqa: PLR0913 - each says how one thing is read, or decided
    table: str | PathLike[str] | Any,
    positive: str | None = None,
    *,
    positive_table: Paths = None,
    identifier: str | None = None,
    group: str | None = None,
    space: str | None = None,
    time: str | None = None,
    match: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    number: Sequence[str] | None = None,
    text: Sequence[str] | None = None,
    missing: Sequence[str] | None = None,
    methods: Sequence[str] = (),
    class_prior: float | None = None,
    resamples: int = 0,
    confidence: float = 0.95,
    prior_at_least: float | None = None,
    prior_at_most: float | None = None,
    irreducible: bool = False,
    known_negative: str | None = None,
    known_negative_table: Paths = None,
    screened_at_random: bool = False,
    label_odds_ratio: float = 1.0,
    verdicts: Paths = None,
    background: Borrowed | None = None,
    scenario: Scenario | None = None,
    top: int | None = None,
    show: Sequence[str] | None = None,
    value: float | None = None,
    cost: float | None = None,
    budget: float | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    random_state: int = 0,
    n_workers: int | None = None,
    cluster: str | None = None,
    on_progress: OnProgress | None = None,
    **promises: float | None,
) -> Ranking:
    """Rank the unlabeled rows of a table by similarity to the positive rows.

    Some rows are known to be positive. The other rows are unlabeled: each may be positive or
    negative. The known positives are hidden in turn among the unlabeled rows. Methods are compared
    by how well they rank these hidden positives, and the best method is used. Each unlabeled row is
    scored by a model that did not learn this row as unlabeled.

    Parameters
    ----------
    table : path of a file or folder, in any format that onesided reads; or a data frame (pandas,
        polars or Arrow)
    positive : column of labels. A positive row has 1, true, yes or x, or the only value of the
        column if its other cells are blank. With ``COLUMN=VALUE`` the rows with that value are
        positive
    positive_table : path of a file of positive rows, or a list of paths, in place of `positive`; a
        file may list only values of `identifier`, one on each line
    identifier : column that names the rows; by default rows are numbered from 1
    group : column of groups of rows; positives of a group are hidden together
    space : the two columns of coordinates with a comma between their names, ``"x,y"``; by default
        they are found by their names. No method learns from coordinates; they are columns of the
        ranking. The methods are judged in spatial blocks: they learn from no row of a block, and
        rank the known positives of the block among its own unlabeled rows. "none" treats
        coordinates as ordinary numbers and makes no blocks. With `group` or `background` there are
        no blocks by default
    time : column of dates or numbers, the time of each row. The methods are then judged on later
        rows: they learn from earlier rows, and rank later known positives among the unlabeled rows
        of the same time. No method learns from the column. The list itself is learned from all rows
    match : columns by which the random label sets of `resamples` are matched: labels are shuffled
        only within strata of these columns. An AUC that comes from these columns alone then counts
        as chance. The ranking does not change. The methods learn from these columns too, unless
        `drop` leaves them out
    drop, categorical, number, text : columns to leave out, and columns to read as categories, as
        numbers and as text. From references, the methods learn only title, abstract and keywords,
        as one text; name other columns here to use them too
    missing : cells that mean that a value is missing, for example ``["-9999"]``. Blank cells, NA,
        NaN, null, None, ? and . are always missing values
    methods : names of methods to compare, as `onesided.methods.find_method` takes them; by default
        those that suit the table
    class_prior : share of positives among the unlabeled, for methods that need it; by default .1,
        which orders rows well whatever the share is
    resamples : number of random label sets to repeat the comparison with, for a p-value
    confidence : confidence level of `recall`, and of the bound on the share of positives
    prior_at_least : declares that at least this share of the unlabeled is positive
    prior_at_most : declares that at most this share of the unlabeled is positive, so that more rows
        can be discarded
    irreducible : declares that the rows with the highest scores are certainly positive
    known_negative : column that marks verified negatives; these rows are not candidates
    known_negative_table : path of a file of verified negatives, or a list of paths
    screened_at_random : declares that the rows that were checked, positive and negative, were
        picked at random, not from the top of a list or by hand; from them the positives among the
        unlabeled are then counted, with an exact interval
    label_odds_ratio : greatest odds of being labeled over the least odds, among positives, that the
        promises and the number of positives allow for; 1 means that labels are even
    verdicts : path of a sheet of rows of an earlier ranking that were checked, or a list of paths.
        Its columns are the identifiers (or ``row``), ``verdict`` (yes, no, ? or blank), and maybe
        ``stands_for``, the number of unlabeled rows that a checked row stands for, as
        `onesided.audit.Audit` gives it. The models learn from the verdicts; the checked rows are no
        candidates any more
    background : the unlabeled rows that the models learn from; by default all of them. With
        "others" these are the unlabeled rows that carry another label in the column of `positive`,
        and a ninth as many rows without a label. Rows with other labels were found by the same
        people in the same places, so effects that make all labels more likely there cancel. All
        unlabeled rows are ranked
    scenario : how the rows were collected, "single-training-set" or "case-control"; with it the
        number of positives and the probability of each row are estimated
    top : number of candidates to list; by default all candidates
    show : columns that are shown beside each row of the ranking; by default authors and year of
        references, and columns of names
    value, cost, budget : value of a positive, cost of each row of the list, and largest total cost
        of the list, in any currency. They give the length of the list with the greatest expected
        profit
    delimiter : character between the cells of a CSV file; by default it is found in the first lines
    sheet : name of a sheet of the workbooks that are read; by default the first
    random_state : seed of all random draws
    n_workers : number of processes that learn; by default only this process
    cluster : address of a Dask scheduler whose workers learn
    on_progress : called with the stage, the number of finished steps, and the number of all steps,
        which is 0 if unknown
    promises : shares that are promised. ``recall`` marks rows with high scores, which hold this
        share of the positives; ``discard`` marks rows with low scores, of which at most this share
        is positive; ``fdr`` marks rows with high scores, of which at most this share is negative.
        To judge the marks, half of the known positives are held out, and the methods are compared
        and fitted again without these positives. A promise does not change the ranking, which is
        learned from all known positives.

    Returns
    -------
    the ranking, the same that the command `onesided rank` makes with a report

    Raises
    ------
    OnesidedError : if the table cannot be read or ranked, or a promise cannot be kept

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> known = np.arange(300) < 60
    >>> size = (rng.normal(size=300) + 2 * known).round(3)
    >>> table = pd.DataFrame({"size": size, "known": known})
    >>> from onesided import rank_table
    >>> ranking = rank_table(table, "known", methods=["naive-bayes", "logistic"])
    >>> print(ranking)
    240 unlabeled rows are ranked.
    average of methods ranks hidden positives highest: AUC 0.939 (95% interval 0.891 to 0.965), of
    60 among 240 unlabeled rows.
    The others: weighted logistic regression, C=1 0.939, weighted logistic regression, C=0.01
    0.939, naive Bayes 0.925.
    >>> ranking.to_frame("pandas").head(3).round(2)
       row  rank  score  recall
    0   75     1   0.99    0.09
    1   80     2   0.99    0.19
    2  220     3   0.99    0.28
    """
    given = {**locals(), **promises}
    check_arguments(given)
    asked = Promises.of(
        confidence=confidence,
        prior_at_least=prior_at_least,
        prior_at_most=prior_at_most,
        irreducible=irreducible,
        known_negative=bool(known_negative or known_negative_table),
        label_odds_ratio=label_odds_ratio,
        **promises,
    )
    worth = Worth.of(value, cost, budget, scenario)
    with fits_elsewhere(n_workers, cluster):
        with gathered_warnings() as notes:
            problem = read_problem(**_taken_by(read_problem, given))
            plan = plan_ranking(problem, **_taken_by(plan_ranking, given | {"promises": asked}))
        showing = _taken_by(rank_problem, given)
        return rank_problem(plan, **showing, worth=worth, notes=notes, command=command_of(**given))


def command_of(table: Any, **arguments: Any) -> str:
    """The command line that makes the same ranking; for a data frame, the call in Python.

    Parameters
    ----------
    table : the path that the user gave, or a data frame
    arguments : arguments of `rank_table`. The command leaves out arguments with their default
        value, and arguments that do not change the ranking

    Examples
    --------
    >>> from onesided.ranking import command_of
    >>> command_of("sizes.csv", positive="known", recall=0.9)
    'onesided rank sizes.csv --positive known --recall 0.9'
    """
    known = signature(rank_table).parameters
    order = [name for name in known if name not in _NOT_IN_COMMAND]
    place = order.index("confidence")
    order[place:place] = [each.argument for each in PROMISES]
    given = {
        name: _plain(value)
        for name in order
        if (value := arguments.get(name)) and not (name in known and value == known[name].default)
    }
    if not isinstance(table, str | PathLike):
        passed = ["table", *(f"{name}={value!r}" for name, value in given.items())]
        return f"onesided.rank_table({', '.join(passed)})"
    options = (as_option(name, value) for name, value in given.items())
    return " ".join(["onesided rank", shlex.quote(str(Path(table))), *options])


def _taken_by(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the given arguments that a function takes."""
    return {name: given[name] for name in signature(function).parameters if name in given}


def _plain(value: Any) -> Any:
    """A value as a person would write it."""
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, PathLike) else value
