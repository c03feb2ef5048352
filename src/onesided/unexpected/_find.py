"""New documents that belong to no known kind, with the words that distinguish them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.feature_extraction.text import CountVectorizer

from onesided._files._names import takes_names
from onesided._text import argument, as_text, counted, counted_of
from onesided._typing import CSR, Array, Bools, Floats, OnProgress
from onesided._validation import check_arguments, check_object
from onesided._words import WORDS, has_runs
from onesided.exceptions import DataError, TableError
from onesided.models.nearest import NearestKnown
from onesided.promises import (
    adjusted_p_values,
    check_fdr,
    conformal_p_values,
)
from onesided.promises._conformal import fewest_for_rate, rejected
from onesided.promises._exchangeability import compare_above_median
from onesided.unexpected._documents import Documents, read_known_and_new
from onesided.unexpected._groups import (
    groups_of,
    numbers_of_groups,
    telling_words,
    words_of,
)
from onesided.unexpected._kinds import (
    check_make_known,
    id_column,
    kinds_of_groups,
    make_known_kinds,
)
from onesided.unexpected._record import Unexpected

_FEWEST_KNOWN = 2
_FEWEST_TO_COMPARE = 300  # with fewer known documents, 4 to 7% of tests warn in vain, not 1%
_MOST_GROUPED = 4000  # the distances between so many documents fit into memory


@takes_names
def find_unexpected(  # noqa: PLR0913 - each says how one thing is read
    known: str | PathLike[str] | Any,
    new: str | PathLike[str] | Any,
    *,
    fdr: float = 0.1,
    kind: str | None = None,
    identifier: str = "",
    text: Sequence[str] | None = None,
    previous: str | PathLike[str] | Any | None = None,
    make_known: Mapping[int, str] | None = None,
    top: int | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    on_read: Callable[[Documents, Documents], None] | None = None,
    on_progress: OnProgress | None = None,
) -> Unexpected:
    """Find new documents that belong to no known kind.

    Each new document is compared with the nearest known documents of each kind. The documents
    that differ most are flagged. In expectation, at most a share `fdr` of the flagged documents
    belongs to a known kind. This assumes that new documents of known kinds resemble the known
    documents.

    Parameters
    ----------
    known, new : paths of folders of text files, paths of tables, or data frames; the sub-folders
        of `known` are kinds
    fdr : largest expected share of known kinds among the flagged documents
    kind : column of kinds in the table of known documents; "" for no column. By default it is the
        column with few values that the new table lacks, if exactly one column is like this
    identifier : column that names the documents, in the table of new documents; known documents
        have row numbers if their table lacks it
    text : columns of text; by default columns whose cells hold several words
    previous : table of an earlier run; `make_known` needs it
    make_known : new kinds; keys are numbers of groups in `previous`. The documents of these groups
        become known documents of these kinds
    top : number of documents that the result lists; all by default
    delimiter : character between the cells of a CSV file; by default found in its first lines
    sheet : name of a sheet of the workbooks that are read; by default the first
    on_read : called with the known and the new documents, before they are compared
    on_progress : called with the stage, "reading" or "comparing documents", and 0, 0

    Raises
    ------
    TableError : if the documents cannot be read, if fewer than two known documents have words, or
        if no new document has words
    DataError : if `fdr` or `top` is out of its range

    Examples
    --------
    >>> import random
    >>> draw = random.Random(0)
    >>> music, sport = "song band drum tune stage", "team goal match coach score"
    >>> weather = "storm rain wind cloud snow"
    >>> def messages(words, n):
    ...     return [" ".join(draw.choices(words.split(), k=8)) for _ in range(n)]
    >>> import pandas as pd
    >>> from onesided.unexpected import find_unexpected
    >>> texts = messages(music, 40) + messages(sport, 40)
    >>> known = pd.DataFrame({"text": texts, "kind": ["music"] * 40 + ["sport"] * 40})
    >>> new = pd.DataFrame({"text": messages(music, 20) + messages(weather, 5)})
    >>> result = find_unexpected(known, new, kind="kind", fdr=0.1)
    >>> result.n_flagged
    5
    >>> result.to_frame("pandas")["id"].head(3).tolist()
    ['21', '22', '23']
    """
    check_arguments(locals())
    tell = on_progress or (lambda *_: None)
    check_fdr(fdr)
    check_make_known(previous, make_known)
    tell("reading", 0, 0)
    of_known, of_new = read_known_and_new(
        known,
        new,
        kind=kind,
        text=text or (),
        identifier=identifier,
        delimiter=delimiter,
        sheet=sheet,
    )
    n_before = len(of_known)
    if previous is not None and make_known:
        wanted = {as_text(key): make_known[key] for key in make_known}
        kinds = kinds_of_groups(previous, wanted, identifier)
        of_known, of_new = make_known_kinds(of_known, of_new, kinds)
    if on_read is not None:
        on_read(of_known, of_new)
    tell("comparing documents", 0, 0)
    n_added = len(of_known) - n_before
    found = compare_documents(of_known, of_new, fdr=fdr, n_added=n_added, identifier=identifier)
    return replace(found, top=top, text=tuple(text or ()))


def compare_documents(
    known: Documents,
    new: Documents,
    *,
    fdr: float = 0.1,
    n_added: int = 0,
    identifier: str = "",
) -> Unexpected:
    """Score new documents by their similarity to known documents, and flag unexpected ones.

    Parameters
    ----------
    known, new : documents; each kind of the known documents is compared separately
    fdr : largest expected share of known kinds among the flagged documents
    n_added : number of documents at the end of `known` that were unexpected in an earlier run. New
        documents are compared with them, but they do not set the threshold
    identifier : column that named the documents; the first column of the result gets this name too

    Raises
    ------
    TableError : if fewer than two known documents have words, or no new document has words

    Examples
    --------
    >>> import random
    >>> draw = random.Random(0)
    >>> music, sport = "song band drum tune stage", "team goal match coach score"
    >>> weather = "storm rain wind cloud snow"
    >>> def messages(words, n):
    ...     return [" ".join(draw.choices(words.split(), k=8)) for _ in range(n)]
    >>> from onesided.unexpected import Documents, compare_documents
    >>> known = Documents([str(n) for n in range(40)], messages(music, 40))
    >>> new = Documents([str(n) for n in range(15)], messages(music, 10) + messages(weather, 5))
    >>> compare_documents(known, new).n_flagged
    6
    """
    for name, each in (("known", known), ("new", new)):
        check_object(each, name, Documents, by="onesided.unexpected.read_documents")
    X, words = _counts(known, new)
    n_known = len(known)
    of_known, of_new = X[:n_known], X[n_known:]
    _check_words(of_known, of_new)
    y = (np.arange(X.shape[0]) < n_known).astype(np.int64)
    kinds = None if known.kinds is None else np.array([*known.kinds, *[""] * len(new)])
    model = NearestKnown().fit(X, y, kinds=kinds)
    scores, says = model.decision_function(of_new), _has_words(of_new)
    known_scores = model.known_scores_[: n_known - n_added]
    p = conformal_p_values(known_scores, scores)
    adjusted = adjusted_p_values(p)
    flagged, likely = rejected(adjusted, fdr) & says, (scores <= 0) & says
    order = np.lexsort((np.arange(len(new)), scores, ~says))
    weights = telling_words(of_known, of_new)
    shown = flagged | likely
    chosen = order[shown[order]]
    grouped = chosen[:_MOST_GROUPED]
    group = np.zeros(len(new), dtype=np.int64)
    group[grouped] = numbers_of_groups(weights[grouped])
    cosines, neighbors = model.kneighbors(of_new)
    cosine, nearest = cosines[:, 0], neighbors[:, 0]
    is_near = says & (cosine > 0)  # else the document shares no word with any known document
    columns = {
        "rank": pa.array(np.arange(1, len(new) + 1)),
        "score": pa.array(scores[order]),
        "p_value": pa.array(p[order]),
        "adjusted_p_value": pa.array(adjusted[order]),
        "flagged": pa.array(flagged[order]),
        "likely": pa.array(likely[order]),
        "group": pa.array(group[order], mask=group[order] == 0),
        "words": pa.array(
            [" ".join(words_of(weights, i, words)) if shown[i] else None for i in order],
            pa.string(),
        ),
        "nearest_known": pa.array(
            [known.ids[nearest[i]] if is_near[i] else None for i in order], pa.string()
        ),
        "cosine": pa.array(cosine[order], mask=~says[order]),
    }
    of_rest: dict[str, int] = {}
    if kinds is not None:
        rest = np.flatnonzero(says & ~shown)
        kind = np.full(len(new), None, dtype=object)
        if len(rest):
            kind[rest] = model.predict_kind(of_new[rest])
        columns["kind"] = pa.array(kind[order], pa.string())
        of_rest = dict(Counter(kind[rest].tolist()).most_common())
    return Unexpected(
        known=known,
        new=new,
        fdr=fdr,
        table=pa.table({id_column(identifier): pa.array([new.ids[i] for i in order]), **columns}),
        rows=order,
        nearest=nearest[order],
        known_scores=known_scores[_has_words(of_known[: len(known_scores)])],
        new_scores=scores[says],
        estimated=(1 - model.class_prior_) * int(says.sum()),
        n_flagged=int(flagged.sum()),
        n_likely=int(likely.sum()),
        n_wordless=int((~says).sum()),
        identifier=identifier,
        n_ungrouped=len(chosen) - len(grouped),
        groups=groups_of(group, chosen, weights, words, new.ids),
        kinds=of_rest,
        exchangeable=_exchangeable(known_scores, scores),
        fewest_flagged=fewest_for_rate(len(new) / (len(known_scores) + 1), fdr),
    )


def _counts(known: Documents, new: Documents) -> tuple[CSR, Array]:
    """Counts of the words in all documents, and the words; English stop words do not count.

    In text without spaces, groups of characters count as words. A group that only one document has
    mostly spans two words by chance. Such groups would be about half of each document, so they are
    left out.

    Returns
    -------
    counts : shape (n_documents, n_words), first the known and then the new documents
    words : shape (n_words,)
    """
    words = CountVectorizer(**WORDS, stop_words="english", dtype=np.float64)
    try:
        X = words.fit_transform([*known.texts, *new.texts])
    except ValueError as error:  # scikit-learn found no word
        raise TableError(
            "No document contains any word except English stop words.",
            f"Check that the right column is read, {argument('text', ['COLUMN'])}, or the right "
            "folder.",
        ) from error
    names = words.get_feature_names_out()
    is_group = np.array([len(name) > 1 and has_runs(name) for name in names])
    kept = np.flatnonzero(~is_group | (np.bincount(X.indices, minlength=len(names)) > 1))
    return (X, names) if len(kept) == len(names) else (X[:, kept], names[kept])


def _check_words(known: CSR, new: CSR) -> None:
    for what, fewest, X in (("known", _FEWEST_KNOWN, known), ("new", 1, new)):
        n = int(_has_words(X).sum())
        if n < fewest:
            raise TableError(
                f"Only {counted_of(n, X.shape[0], f'{what} document', 'contain')} words.",
                f"Pass at least {counted(fewest, f'{what} document')} with words.",
            )


def _has_words(X: CSR) -> Bools:
    found: Bools = np.diff(X.indptr) > 0
    return found


def _exchangeable(known: Floats, new: Floats) -> float | None:
    """P-value for equal scores of known and new documents of known kinds; None for too few.

    If documents of known and of unknown kinds overlap, the p-value is too small, and the warning is
    not needed.
    """
    if len(known) < _FEWEST_TO_COMPARE:
        return None
    try:
        return compare_above_median(known, new)[0]
    except DataError:
        return None
