"""Classifiers by independent causal influence, with any of the six functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from onesided._blocks import (
    ArraySource,
    Block,
    Source,
    read_features,
)
from onesided._frames import in_memory
from onesided._labels import LabelCoding
from onesided._numerics._convolve import poisson_binomial
from onesided._typing import Array, Floats, Ints, RandomState
from onesided._validation import COUNT, FINITE, FROM_ZERO, check_number, check_weight
from onesided.exceptions import DataError, LabelError
from onesided.models._base import PositiveUnlabeledClassifier
from onesided.models.noisy._attributes import AttributeCounts, binarized, check_attributes
from onesided.models.noisy._combiners import MESSAGES
from onesided.models.noisy._em import (
    Expectation,
    Parameters,
    Settings,
    codes_of,
    levels_apart,
    negated,
    rows_at_a_time,
    with_gaps,
)
from onesided.models.noisy._loop import Fit, run_em, warn_unless_converged

Function: TypeAlias = Literal["or", "and", "max", "min", "add", "xor"]

_ORDERED = ("max", "min", "add")  # functions whose class may have more than two values
_SHARE = 1e-3  # a start aims at shares of classes from this value to 1 minus this value
_UNLIKE = 0.3  # shape of the gamma distribution by which the starts of profiles differ
_NEAREST = 1e-9  # least distance of a start from 0 and 1
_MOST_LEVELS = 1000
_PAIR = "Pass two numbers of 1 or more, (1.1, 1.01) for example."


class InfluenceClassifier(PositiveUnlabeledClassifier):
    """Base class: attributes have independent hidden effects, which determine the class.

    A subclass has the parameters `init`, `n_init`, `tol`, `max_iter`, `binarize`,
    `inhibition_prior` and `random_state`.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_init": [COUNT],
        "init": ["array-like", None],
        "inhibition_prior": ["array-like", None],
        "binarize": [FINITE, None],
        "tol": [FROM_ZERO],
        "max_iter": [COUNT],
    }
    _mends: ClassVar[dict[str, str]] = {
        "init": "Pass probabilities strictly between 0 and 1, or None.",
        "inhibition_prior": _PAIR,
        "binarize": "Pass 0 for example, or None.",
    }
    _takes_numbers: ClassVar[Any] = "allow-nan"

    function: str
    n_profiles: int = 1
    init: ArrayLike | None
    n_init: int
    tol: float
    max_iter: int
    binarize: float | None
    inhibition_prior: tuple[float, float] | None
    random_state: RandomState
    _parameters: Parameters
    _marginals: Floats

    def _check_params(self) -> None:
        super()._check_params()
        if self.inhibition_prior is not None:
            if np.shape(self.inhibition_prior) != (2,):
                raise DataError(
                    f"inhibition_prior={self.inhibition_prior!r} is not a pair of numbers.", _PAIR
                )
            for name, value in zip(("alpha", "beta"), self.inhibition_prior, strict=True):
                check_number(value, f"inhibition_prior: {name}", _PAIR, at_least=1)

    def _settings(self) -> Settings:
        return Settings(
            prior=self.inhibition_prior or (1.0, 1.0), tol=self.tol, max_iter=self.max_iter
        )

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        self._learn_classes(source, lambda block: block.labels().astype(np.int64), 2)

    def _learn_classes(
        self, source: Source, class_of: Callable[[Block], Ints], n_levels: int
    ) -> None:
        """Read the attributes, and run EM from each start.

        Parameters
        ----------
        source : labeled rows
        class_of : class of each row of a block, as a number from 0
        n_levels : of a hidden effect
        """
        binary = self.function not in _ORDERED
        of = partial(AttributeCounts.of, names=source.feature_names, binary=binary)
        zero = AttributeCounts.zero(source.n_features)
        found = source.total(lambda block: of(self._prepared(block)), zero)
        self._marginals = found.marginals
        self._has_gaps = bool(found.missing.any())
        total = float(found.total.sum())
        passed, expect, known = self._expectation(source, class_of, found)
        turned = self.function == "and"
        settings = self._settings()
        if turned:
            settings = replace(settings, prior=settings.prior[::-1])
        fits = []
        for start in self._starts(source, class_of, found, n_levels):
            first = negated(start) if turned else start
            fits.append(run_em(passed, expect, first, settings, total, known))
        best = max(fits, key=lambda fit: fit.log_likelihood[-1])
        warn_unless_converged(best, settings, total)
        self._record(best, negated(best.parameters) if turned else best.parameters)

    def _expectation(
        self, source: Source, class_of: Callable[[Block], Ints], found: AttributeCounts
    ) -> tuple[
        Source, Callable[[Block, Parameters], Expectation], Callable[[Parameters], Expectation]
    ]:
        """The rows to pass over, the expectation of a block, and that of the rows left out.

        "or" and "and" without missing values use products, and leave out the rows whose effects are
        known to be inhibited.
        """
        turned = self.function == "and"
        known, prepared = Expectation.zero, self._prepared
        if self.function in ("or", "and") and not self._has_gaps:
            is_known = getattr(self, "label_frequency", 1) == 1 and self.n_profiles == 1
            of = partial(Expectation.of_products, negated=turned, known=is_known)
            if is_known:
                counts, weight = found.of_label[int(turned)], float(found.total[int(turned)])
                inhibited = levels_apart(np.stack([counts, 0 * counts], axis=2))
                known = partial(Expectation.of_negatives, inhibited, weight)
                if isinstance(source, ArraySource):
                    source = source.only(positive=not turned)
        else:
            of = partial(
                Expectation.of_messages,
                message=MESSAGES["or" if turned else self.function],
                class_of=(lambda block: 1 - class_of(block)) if turned else class_of,
                marginals=self._marginals,
            )
        if isinstance(source, ArraySource) and self._cut is not None:  # once, not in each iteration
            source, prepared = source.mapped(self._prepared), _as_it_is
        return source, lambda block, parameters: of(prepared(block), parameters), known

    def _record(self, fit: Fit, parameters: Parameters) -> None:
        self._parameters = parameters
        self.log_likelihood_ = fit.log_likelihood
        self.n_iter_ = fit.n_iter
        self.converged_ = fit.converged
        effects = np.tensordot(parameters.shares, parameters.by_profile(parameters.effects), 1)
        if effects.shape[2] == 2:  # noqa: PLR2004 - an effect is there or is inhibited
            self.inhibition_ = effects[:, :, 0]
        self.effect_probs_ = effects

    def _starts(
        self,
        source: Source,
        class_of: Callable[[Block], Ints],
        found: AttributeCounts,
        n_levels: int,
    ) -> Iterator[Parameters]:
        """Starts of EM: `init`, or a start that gives classes their shares and random starts."""
        k, n_values = found.counts.shape
        shape = (self.n_profiles * k, n_values, n_levels)
        if self.init is not None:
            several = (self.n_profiles,) * (self.n_profiles > 1)
            given = self._given_start((*several, k, n_values, n_levels))
            yield self._start_of(Parameters(given.reshape(shape)))
            return
        rng = check_random_state(self.random_state)
        weight = source.map(lambda block: block.weights())
        share = np.bincount(source.map(class_of), weight) / weight.sum()
        for number in range(self.n_init):
            if self.n_profiles > 1:  # EM never separates profiles with equal starts
                spread = rng.gamma(_UNLIKE, 1 / _UNLIKE, size=shape[:2])
            else:
                spread = np.ones(shape[:2]) if number == 0 else rng.exponential(size=shape[:2])
            yield self._start_of(Parameters(self._start(share, found, spread[:, :, None])))

    def _given_start(self, shape: tuple[int, ...]) -> Floats:
        mend = f"Pass probabilities strictly between 0 and 1, of shape {shape[:-1]}" + (
            f" or {shape}." if shape[-1] == 2 else f" by levels: {shape}."  # noqa: PLR2004 - binary
        )
        try:
            init = np.asarray(self.init, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError("init holds values that are not numbers.", mend) from error
        if not ((init > 0) & (init < 1)).all():
            raise DataError("init holds values outside (0, 1), or NaN.", mend)
        init = np.clip(init, _NEAREST, 1 - _NEAREST)
        given = init.shape
        if init.ndim == len(shape) - 1 and shape[-1] == 2:  # noqa: PLR2004 - inhibitions alone
            init = np.stack([init, 1 - init], axis=-1)
        if init.shape != shape:
            raise DataError(f"init has shape {given}.", mend)
        if not np.allclose(init.sum(axis=-1), 1.0):  # noqa: TID251 - a check of input, no test
            raise DataError("init does not sum to 1 over the levels.", "Divide it by its sums.")
        return init

    def _start(self, share: Floats, found: AttributeCounts, spread: Floats) -> Floats:
        """Effects under which the classes have about these shares."""
        k = len(found.counts)
        if self.function in ("add", "xor"):
            p = np.clip(share @ np.arange(len(share)) / k * spread, _SHARE / k, 0.9)
            return np.concatenate([1 - p, p], axis=2)
        turned = self.function in ("min", "and")
        upto = np.cumsum(share[::-1] if turned else share).clip(_SHARE, 1 - _SHARE)
        upto[-1] = 1.0
        # The highest of k effects is at most c if each effect is: each takes a k-th root.
        upto = np.exp(np.log(upto) * spread / self._n_causes(found))
        effects = np.diff(upto, axis=2, prepend=0.0).clip(1e-12)
        effects /= effects.sum(axis=2, keepdims=True)
        return effects[:, :, ::-1] if turned else effects

    def _n_causes(self, found: AttributeCounts) -> float:
        """Number of effects that a row may have, for the start."""
        return float(len(found.counts))

    def _start_of(self, parameters: Parameters) -> Parameters:
        return parameters

    def _prepared(self, block: Block) -> Block:
        return binarized(block, self._cut)

    @property
    def _cut(self) -> float | None:
        """The number above which a value counts as 1; None if values are used unchanged."""
        return None if self.function in _ORDERED else self.binarize

    def _checked_block(self, block: Block) -> Block:
        """A block to be scored, after a check that `fit` has seen its values."""
        block = self._prepared(block)
        X: Any = block.matrix()
        names = getattr(self, "feature_names_in_", None)
        n_values = self._parameters.effects.shape[1]
        binary = self.function not in _ORDERED
        check_attributes(X, None if names is None else names.tolist(), binary=binary)
        highest = np.nanmax(X.data if block.is_sparse else X, initial=0)
        if block.n_rows and highest >= n_values:
            raise DataError(
                f"X holds the value {highest:g}; in fit the highest was {n_values - 1}.",
                "Map values that fit has not seen to known values, or to NaN.",
            )
        return block

    def _log_probs(self, block: Block) -> Floats:
        """Log P(C = c | a) of each class; shape (n_rows, n_classes)."""
        block = self._checked_block(block)
        k, n_values, n_levels = self._parameters.effects.shape
        table = with_gaps(self._parameters.effects, self._marginals)
        parts = [
            self._of_effects(table[np.arange(k), codes_of(part, n_values)])
            for part in block.pieces(rows_at_a_time(k, n_levels))
        ]
        return np.concatenate(parts)

    def _of_effects(self, effects: Floats) -> Floats:
        if self.function == "add":
            with np.errstate(divide="ignore"):
                return np.log(poisson_binomial(effects[:, :, 1]))
        message, n_rows = MESSAGES[self.function], len(effects)
        classes = range(len(self.classes_))
        return np.stack([message(effects, np.full(n_rows, c))[0] for c in classes], axis=1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = self._cut is None
        return tags


def _as_it_is(block: Block) -> Block:
    return block


@dataclass(frozen=True)
class _OrderedClasses(LabelCoding):
    """The ordered classes 0, 1, 2, ... up to `positive`, and the class of each row."""

    of_row: Ints = field(kw_only=True)

    @property
    def classes(self) -> Array:
        return np.arange(self.positive + 1)

    def of_block(self, block: Block) -> Ints:
        """Class of each row of a block."""
        return self.of_row[block.start : block.start + block.n_rows]


class ICIClassifier(InfluenceClassifier):
    """Independent causal influence: each attribute has a hidden effect, a function gives the class.

    An effect A'_j depends on attribute A_j alone, and the class is a function of all effects. The
    function is "or", "and", "xor" (whether the number of effects is odd), "max" or "min" (of
    ordered effects), or "add" (the number of effects). The class of every row must be known: with
    "or", "and" and "xor" a row that is not positive is negative. For positive and unlabeled rows
    use `NoisyOrClassifier`.

    Parameters
    ----------
    function : "or", "and" and "xor" take binary attributes and a class of two values. "max" and
        "min" take attributes with the values 0, 1, 2, ...; their classes 0, 1, 2, ... are the
        levels of an effect. "add" takes attributes with the values 0, 1, 2, ...; its class is the
        number of effects.
    n_init : number of starts, of which the best is kept; the first start is not random
    init : values to start at, strictly between 0 and 1: inhibitions of shape (n_features,
        n_values), or for "max" and "min" effects of shape (n_features, n_values, n_levels)
    inhibition_prior : (α, β) of a Beta prior of each inhibition, both at least 1; EM finds the mode
        of the posterior; not for "max" and "min"
    binarize : only for "or", "and" and "xor": number above which a value counts as 1; other values
        count as 0, as in scikit-learn's `BernoulliNB`. None means that all values are 0 or 1; other
        values are refused. The other functions use the values of the attributes unchanged.
    tol : EM stops when an iteration gains less than this log-likelihood, nats a row
    max_iter : largest number of iterations
    random_state : seed of the starts after the first
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    effect_probs_ : shape (n_features, n_values, n_levels), P(A'_j = l | A_j = v)
    inhibition_ : shape (n_features, n_values), P(A'_j = 0 | A_j = v), if effects are binary
    log_likelihood_ : log P(class | attributes) in nats, before each iteration and at the end; with
        `inhibition_prior` it includes the log density of the prior
    n_iter_, converged_ : number of iterations, and whether the last gain was below `tol`
    classes_ : the labels; for "max" and "min" 0 to the highest class in `fit`, for "add" 0 to
        n_features
    n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if an attribute has other values, or a parameter cannot be used
    LabelError : if the function cannot give a class

    Notes
    -----
    Vomlel 2004, section 2, EM on the conditional likelihood. In place of the factorisation of
    Lemma 1, the messages are sums of positive terms, which stay accurate for hundreds of
    attributes. EM may end in a local optimum, most often with "xor". In that case use a higher
    `n_init`. A missing attribute is summed out, weighted by the shares of its values among the rows
    that have a value. P(class | attributes) is identified, but the parameters are not: different
    parameters can give the same probabilities.

    Each iteration makes one pass over the rows. "or" and "and" take three products with the data,
    sparse or dense. The other functions take n_rows · n_features operations, and "add" takes this
    number times the highest class.

    References
    ----------
    J. Vomlel, Noisy-or classifier, International Journal of Intelligent Systems 21 (2006) 381-398
    (as of 2004).

    Examples
    --------
    Either of two switches turns the light on, the first nine times out of ten:

    >>> import numpy as np
    >>> X = np.array([[0, 0], [1, 0], [0, 1]]).repeat([10, 10, 10], axis=0)
    >>> y = np.repeat([0, 1, 0, 1], [10, 9, 1, 10])
    >>> ICIClassifier("or").fit(X, y).predict_proba([[1, 0]]).round(2)
    array([[0.1, 0.9]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"function": [StrOptions(set(MESSAGES))]}

    def __init__(  # noqa: PLR0913 - a start, a prior, and when to stop
        self,
        function: Function = "or",
        *,
        n_init: int = 1,
        init: ArrayLike | None = None,
        inhibition_prior: tuple[float, float] | None = None,
        binarize: float | None = 0.0,
        tol: float = 1e-5,
        max_iter: int = 500,
        random_state: RandomState = None,
        positive_label: Any = None,
    ) -> None:
        self.function = function
        self.n_init = n_init
        self.init = init
        self.inhibition_prior = inhibition_prior
        self.binarize = binarize
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.positive_label = positive_label

    def _check_params(self) -> None:
        super()._check_params()
        if self.function in _ORDERED and self.binarize:
            raise DataError(
                f"binarize={self.binarize!r} works for attributes of two values, not for "
                f"{self.function!r}.",
                "Leave it out, and pass 0 and 1 where an attribute has two values.",
            )
        if self.inhibition_prior is not None and self.function in ("max", "min"):
            raise DataError(
                f"inhibition_prior works for effects with two levels, not for {self.function!r}.",
                "Leave it out.",
            )

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows whose class is known.

        Parameters
        ----------
        X : rows, in any form that the other learners take; missing attributes are NaN
        y : shape (n_rows,); for "max", "min" and "add" whole numbers from 0, as an array
        sample_weight : shape (n_rows,), or None
        """
        return super().fit(X, y, sample_weight)

    def _labeled(self, X: Any, y: Any, sample_weight: Any) -> tuple[Source, LabelCoding]:
        if self.function not in _ORDERED:
            return super()._labeled(X, y, sample_weight)
        source = read_features(self._checked(X, reset=True), numeric=self._takes_numbers)
        of_row = self._ordered_classes(in_memory(y), source.n_features)
        top = source.n_features if self.function == "add" else int(of_row.max())
        weight = check_weight(sample_weight, len(of_row))
        if weight is not None and len(np.unique(of_row[weight > 0])) < 2:  # noqa: PLR2004 - both classes
            raise DataError(
                "After sample_weight fewer than two classes have rows with a weight above 0.",
                "Give rows of two classes or more a weight above 0.",
            )
        return source.labeled(of_row > 0, weight), _OrderedClasses(top, 0, of_row=of_row)

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        if not isinstance(coding, _OrderedClasses):
            super()._learn(source, coding)
            return
        n_levels = 2 if self.function == "add" else len(coding.classes)
        self._learn_classes(source, coding.of_block, n_levels)

    def _ordered_classes(self, y: Any, n_features: int) -> Ints:
        asked = f"With function={self.function!r} y must be"
        if isinstance(y, str):
            raise LabelError(
                f"{asked} numbers, not the name of a column, {y!r}.", "Pass the column as an array."
            )
        given = np.asarray(y)
        try:
            numbers = given.astype(np.float64)
        except (TypeError, ValueError):
            numbers = np.full(given.shape, np.nan)
        if given.ndim != 1:
            raise LabelError(
                f"{asked} of shape (n_rows,), not {given.shape}.", "Pass one class for each row."
            )
        odd = ~((numbers >= 0) & (numbers == np.floor(numbers)) & (numbers < np.inf))
        if odd.any():
            raise LabelError(
                f"{asked} whole numbers from 0, not {given[np.argmax(odd)]!r}.",
                "Number the classes in their order: 0, 1, 2, ...",
            )
        if self.function != "add" and numbers.max(initial=0) >= _MOST_LEVELS:
            raise LabelError(
                f"{asked} below {_MOST_LEVELS}, not {numbers.max():g}: each number is a level.",
                "Number the classes in their order: 0, 1, 2, ...",
            )
        classes = numbers.astype(np.int64)
        if len(np.unique(classes)) < 2:  # noqa: PLR2004 - nothing to tell apart
            raise LabelError(f"All rows are of class {classes[0]}.", "Add rows of another class.")
        if self.function == "add" and classes.max() > n_features:
            raise LabelError(
                f"y holds {classes.max()}, but {n_features} attributes have at most "
                f"{n_features} effects.",
                'Take function="max", or add attributes.',
            )
        return classes

    def predict_proba(self, X: Any) -> Floats:
        """P(class | attributes) of each row; shape (n_rows, n_classes)."""
        check_is_fitted(self)
        return np.exp(self._source_of(X).map(self._log_probs))

    def predict(self, X: Any) -> Array:
        """The most probable class of each row; shape (n_rows,)."""
        check_is_fitted(self)
        best = np.argmax(self._source_of(X).map(self._log_probs), axis=1)
        return self.classes_[best]

    def _score_block(self, block: Block) -> Floats:
        """Log odds of the second class; for ordered classes the expected class."""
        log_probs = self._log_probs(block)
        if self.function in _ORDERED:
            return np.exp(log_probs) @ self.classes_
        return log_probs[:, 1] - log_probs[:, 0]
