"""The noisy-or classifier."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from onesided._blocks import Block, Source
from onesided._frames import frame_of
from onesided._labels import LabelCoding
from onesided._text import agreeing, counted
from onesided._typing import Array, Floats, RandomState
from onesided._validation import COUNT, SHARE_UP_TO_ONE, check_number
from onesided.exceptions import DataError, LabelWarning
from onesided.models.noisy import _conversions as conversions
from onesided.models.noisy._attributes import AttributeCounts
from onesided.models.noisy._conversions import Rule
from onesided.models.noisy._curvature import Curvature, logit_intervals
from onesided.models.noisy._em import Parameters, Settings, codes_of
from onesided.models.noisy._evidence import activation_chart, in_words
from onesided.models.noisy._ici import InfluenceClassifier
from onesided.models.noisy._loop import Fit
from onesided.models.noisy._threshold import TUNED, Threshold, tune_log_threshold

_MOST_INTERVALS = 10_000
_SURE = 1e-6  # least distance from 0 and 1 of the inhibition at which a leak starts


class NoisyOrClassifier(InfluenceClassifier):
    """Noisy-or: a row is positive if any of its attributes has an effect that is not inhibited.

    P(C = 0 | a) = Π q_j(a_j), with the inhibition q_j(a) = P(A'_j = 0 | A_j = a) of attribute j.
    Attributes are causes, and each cause may fail independently of the others. With
    `label_frequency` below 1, or "estimate", the model learns from positive and unlabeled rows.
    With `label_frequency` 1, the case of the paper, a row that is not positive is negative.

    Assumes that effects are independent given the attributes. With `label_frequency` below 1, or
    "estimate", it also assumes that labels are selected completely at random (SCAR) from a single
    training set.

    Parameters
    ----------
    restricted : whether q_j(0) = 1, so that an absent attribute has no effect; the inhibitions of
        present attributes are then identified, unless columns repeat each other
    leak : whether the model has a cause that is always present; with `restricted`, only a leak
        allows positive rows without any active attribute
    threshold : t; a row is positive if P(C = 0 | a) < t. "accuracy", "f1" or "break-even" chooses
        the t that is best by this criterion on the training rows.
    label_frequency : f = P(labeled | positive), in (0, 1]; or "estimate"
    n_profiles : number of hidden kinds of rows (profiles); each profile has its own inhibitions of
        the attributes: P(C = 0 | a) = Σ π_z Π q_jz(a_j)
    n_init : number of starts, of which the best is kept; with one profile the first start is not
        random
    init : inhibitions to start at, strictly between 0 and 1; shape (n_features, 2), or with several
        profiles (n_profiles, n_features, 2)
    inhibition_prior : (α, β) of a Beta prior of each inhibition, both at least 1; EM finds the mode
        of the posterior. α above 1 moves inhibitions away from 0, β above 1 away from 1.
    binarize : number above which a value counts as 1; other values count as 0, as in scikit-learn's
        `BernoulliNB`. None means that all values are 0 or 1; other values are refused.
    tol : EM stops when an iteration gains no more than this log-likelihood, nats a row; if the
        label frequency is estimated, when a whole climb and a step of EM together gain no more
    max_iter : largest number of passes over the rows after the first pass
    random_state : seed of the random starts
    positive_label : the value of y that means positive, for text labels

    Attributes
    ----------
    inhibition_ : shape (n_features, 2), q_j(0) and q_j(1), the mean over the profiles
    leak_ : probability that the leak is inhibited, the mean over the profiles; 1 without a leak
    profile_shares_ : shape (n_profiles,), π_z, share of each profile
    profile_inhibition_ : shape (n_profiles, n_features, 2), q_jz(0) and q_jz(1)
    profile_leak_ : shape (n_profiles,), probability that the leak is inhibited in each profile
    label_frequency_ : f, as given or estimated
    log_threshold_ : log t; `decision_function` is log t − log P(C = 0 | a)
    log_likelihood_ : nats, at the start and after each step; it never falls; with
        `inhibition_prior` it includes the log density of the prior
    n_iter_ : number of passes over the rows after the first pass
    converged_ : whether the fit ended because of `tol`
    effect_probs_ : shape (n_features, 2, 2), P(A'_j = l | A_j = a), the mean over the profiles
    classes_, n_features_in_, feature_names_in_ : as in the other learners

    Raises
    ------
    DataError : if an attribute is not 0 or 1, or a parameter cannot be used; with `restricted` and
        no leak, also if no positive row has an active attribute

    Warns
    -----
    LabelWarning : with `restricted` and no leak, if positive rows have no active attribute; these
        rows are left out

    Notes
    -----
    Vomlel 2004, sections 2.2 and 3. Without `restricted` the inhibitions are not identified: many
    different inhibitions give the same P(C | a) and the same `canonical()` form.

    For an unlabeled row the class is hidden. EM then uses
    P(C = 1 | unlabeled, a) = (1 − f)(1 − Q) / (1 − f (1 − Q)) in its place, with Q = P(C = 0 | a).
    EM alone would need thousands of steps. From the tenth step on, L-BFGS-B therefore climbs the
    same log-likelihood between the steps of EM. If f is estimated, a climb ends when its last ten
    steps together gain no more than `tol`. The optimum may be one of several. A missing attribute
    is summed out. An iteration is one pass over the rows and three products with the data.

    Profiles are not in the paper. With profiles, causes may depend on each other: the effect of a
    word may depend on the kind of story that contains the word. The likelihood has many optima,
    like that of any mixture, so pass `random_state` and use a higher `n_init`. An iteration is two
    products for each profile and one more product. A classifier with profiles has no other forms,
    and the score is not a sum over attributes. Therefore `contributions`, `explain`, the
    conversions and the confidence intervals refuse such a classifier.

    References
    ----------
    J. Vomlel, Noisy-or classifier, International Journal of Intelligent Systems 21 (2006) 381-398
    (as of 2004).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [1, 0], [0, 1]]).repeat([10, 10, 10], axis=0)
    >>> y = np.repeat([0, 1, 0, 1], [10, 9, 1, 10])
    >>> NoisyOrClassifier(restricted=True).fit(X, y).inhibition_.round(2)
    array([[1. , 0.1],
           [1. , 0. ]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "restricted": ["boolean"],
        "leak": ["boolean"],
        "threshold": [SHARE_UP_TO_ONE, StrOptions(set(TUNED))],
        "label_frequency": [SHARE_UP_TO_ONE, StrOptions({"estimate"})],
        "n_profiles": [COUNT],
    }
    _mends: ClassVar[dict[str, str]] = {
        "label_frequency": 'Pass P(labeled | positive), or "estimate".'
    }
    function = "or"

    def __init__(  # noqa: PLR0913 - a form, a threshold, labels, a start, a prior, when to stop
        self,
        restricted: bool = False,  # noqa: FBT001, FBT002 - the order of the names is fixed
        leak: bool = False,  # noqa: FBT001, FBT002 - the order of the names is fixed
        threshold: Threshold = 0.5,
        *,
        label_frequency: float | Literal["estimate"] = 1.0,
        n_profiles: int = 1,
        n_init: int = 1,
        init: ArrayLike | None = None,
        inhibition_prior: tuple[float, float] | None = None,
        binarize: float | None = 0.0,
        tol: float = 1e-5,
        max_iter: int = 500,
        random_state: RandomState = None,
        positive_label: Any = None,
    ) -> None:
        self.restricted = restricted
        self.leak = leak
        self.threshold = threshold
        self.label_frequency = label_frequency
        self.n_profiles = n_profiles
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
        if self.label_frequency != 1 and isinstance(self.threshold, str):
            raise DataError(
                f"threshold={self.threshold!r} is tuned on known negatives, but these rows "
                "are unlabeled.",
                "Pass a probability, 0.5 for example.",
            )

    def _settings(self) -> Settings:
        return replace(
            super()._settings(),
            restricted=self.restricted,
            estimates_frequency=self.label_frequency == "estimate",
        )

    def _learn(self, source: Source, coding: LabelCoding) -> None:
        if self.restricted and not self.leak:
            n_dropped = int(source.map(self._is_impossible).sum())
            if n_dropped:
                self._check_explained(source, n_dropped)
                warnings.warn(
                    f"{counted(n_dropped, 'positive row')} {agreeing(n_dropped, 'have')} no active "
                    "attribute, which is impossible "
                    "without a leak; such rows are left out. Pass leak=True to keep them.",
                    LabelWarning,
                    stacklevel=2,
                )
        super()._learn(source, coding)
        self._source = source
        self.log_threshold_ = self._find_log_threshold(source)

    def _is_impossible(self, block: Block) -> Any:
        """Whether a row is positive, and no attribute is 1 or missing; shape (n_rows,)."""
        X: Any = self._prepared(block).matrix()
        active = np.asarray((X != 0).sum(axis=1)).ravel()
        return block.labels() & (active == 0) & (block.weights() > 0)

    @staticmethod
    def _check_explained(source: Source, n_impossible: int) -> None:
        """Refuse rows of which no positive row has an active attribute."""
        n_positive = int(source.map(lambda block: block.labels() & (block.weights() > 0)).sum())
        if n_impossible == n_positive:
            raise DataError(
                f"No positive row has an active attribute ({counted(n_positive, 'positive row')}), "
                "so a noisy-or without a leak gives none of them a cause.",
                "Pass leak=True, or other attributes.",
            )

    def _find_log_threshold(self, source: Source) -> float:
        if not isinstance(self.threshold, str):
            return float(np.log(self.threshold))
        log_q = source.map(self._log_negative)
        positive = source.map(lambda block: block.labels()).astype(bool)
        weight = source.map(lambda block: block.weights())
        return tune_log_threshold(log_q, positive, weight, self.threshold)

    def _n_causes(self, found: AttributeCounts) -> float:
        if not self.restricted:
            return super()._n_causes(found)
        return max(float(found.counts[:, 1].sum() / found.total.sum()), 1.0)

    def _start_of(self, parameters: Parameters) -> Parameters:
        effects = parameters.effects.copy()
        if self.restricted:
            effects[:, 0] = [1.0, 0.0]
        m = self.n_profiles
        leak = np.ones(m)
        if self.leak:
            logs = np.log(effects[:, 1, 0]).reshape(m, -1)
            leak = np.clip(np.exp(logs.mean(axis=1)), _SURE, 1 - _SURE)
        f = 0.5 if self.label_frequency == "estimate" else float(self.label_frequency)
        return Parameters(effects, leak, f, np.full(m, 1 / m))

    def _record(self, fit: Fit, parameters: Parameters) -> None:
        super()._record(fit, parameters)
        self.leak_ = float(parameters.shares @ parameters.leak)
        self.label_frequency_ = parameters.label_frequency
        self._rule_is(parameters)

    def _rule_is(self, parameters: Parameters, log_inhibition: Floats | None = None) -> None:
        """Keep the profiles and the logarithms that score rows, last those of missing values."""
        self.profile_shares_, self.profile_leak_ = parameters.shares, parameters.leak
        self.profile_inhibition_ = parameters.by_profile(parameters.effects[:, :, 0])
        logs = parameters.log_inhibition if log_inhibition is None else log_inhibition
        logs = parameters.by_profile(logs)
        with np.errstate(divide="ignore"):
            mean = np.log(np.einsum("kv,zkv->zk", self._marginals, np.exp(logs)))
        self._log_inhibition = np.concatenate([logs, mean[:, :, None]], axis=2)

    def _log_negative(self, block: Block) -> Floats:
        """Log P(C = 0 | a) of each row; shape (n_rows,)."""
        block = self._checked_block(block)
        X: Any = block.matrix()
        codes = None if not np.isnan(X.data if block.is_sparse else X).any() else codes_of(block, 2)
        of_profiles = []
        for logs, leak, share in zip(
            self._log_inhibition, self.profile_leak_, self.profile_shares_, strict=True
        ):
            if codes is None:
                absent, present, _ = logs.T
                with np.errstate(invalid="ignore"):
                    steps = present - absent
                log_q = np.asarray(X @ steps) + absent.sum()
            else:
                log_q = logs[np.arange(len(logs)), codes].sum(axis=1)
            of_profiles.append(log_q + np.log(leak) + np.log(share))
        found: Floats = logsumexp(of_profiles, axis=0)
        return found

    def _logs_of_one(self, what: str) -> Floats:
        """Logarithms of the inhibitions of the only profile; shape (n_features, 3).

        Parameters
        ----------
        what : name of the request, for the error if there are several profiles
        """
        check_is_fitted(self)
        n_profiles = len(self._log_inhibition)
        if n_profiles > 1:
            raise DataError(
                f"{what} is not defined for a noisy-or of {n_profiles} profiles.",
                "Fit with n_profiles=1.",
            )
        logs: Floats = self._log_inhibition[0]
        return logs

    def _score_block(self, block: Block) -> Floats:
        return self.log_threshold_ - self._log_negative(block)

    def predict_proba(self, X: Any) -> Floats:
        """P(C = 0 | a) and P(C = 1 | a) of each row, labeled or not; shape (n_rows, 2)."""
        check_is_fitted(self)
        log_q = self._source_of(X).map(self._log_negative)
        return np.stack([np.exp(log_q), -np.expm1(np.minimum(log_q, 0.0))], axis=1)

    def contributions(self, X: Any) -> Floats:
        """What each attribute adds to `decision_function` of each row: −log q_j(a_j), nats.

        Contributions are at least 0. A row is positive if the sum of its contributions and of that
        of the leak exceeds −`log_threshold_`.

        Returns
        -------
        shape (n_rows, n_features)
        """
        logs = self._logs_of_one("What an attribute contributes")

        def of(block: Block) -> Floats:
            codes = codes_of(self._checked_block(block), 2)
            found: Floats = -logs[np.arange(len(logs)), codes]
            return found

        return self._source_of(X).map(of)

    def explain(self, X: Any, most: int = 3) -> list[str]:
        """The causes of each decision, in words.

        The evidence of a present attribute is log q_j(0) − log q_j(1), nats. This is how much the
        presence of the attribute lowers log P(C = 0 | a). It is the same for all forms of the
        classifier.

        Parameters
        ----------
        X : a few rows, in any form that `fit` takes
        most : largest number of attributes that are named

        Returns
        -------
        one or two sentences for each row
        """
        self._logs_of_one("An explanation")
        check_number(most, "most", "Pass 3 for example.", at_least=1, whole=True)
        scores = self.decision_function(X)
        evidence = self._source_of(X).map(self._evidence)
        positive, unlabeled = str(self.classes_[1]), str(self.classes_[0])
        return [
            in_words(row, score, self._names, positive if score > 0 else unlabeled, most)
            for row, score in zip(evidence, scores, strict=True)
        ]

    @property
    def _names(self) -> Array:
        """Names of the attributes, or their numbers; shape (n_features,)."""
        names: Array = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
        return names

    def _evidence(self, block: Block) -> Floats:
        """Log q_j(0) − log q_j(1) where attribute j is present, NaN elsewhere."""
        X = self._checked_block(block).dense()
        absent, present, _ = self._logs_of_one("An explanation").T
        return np.where(X == 1, absent - present, np.nan)

    def plot_activations(self, most: int = 20) -> Any:
        """Altair chart of the attributes whose presence gives the strongest evidence.

        Parameters
        ----------
        most : largest number of attributes that are shown
        """
        absent, present, _ = self._logs_of_one("A chart of activations").T
        return activation_chart(absent - present, self._names, most)

    def confidence_intervals(self, level: float = 0.95, backend: str | None = None) -> Any:
        """Confidence intervals of inhibitions of active attributes, leak and label frequency.

        Only the restricted form has intervals, because the inhibitions of the general form are not
        identified.

        Parameters
        ----------
        level : confidence level, in (0, 1): the share of samples of rows for which an interval
            contains the true value
        backend : "pandas", "polars" or "pyarrow"; by default the first that is installed

        Returns
        -------
        one row for each fitted parameter: `parameter` (name or number of the attribute, "leak" or
        "label_frequency"), `estimate`, `lower`, `upper`

        Raises
        ------
        DataError : if the form is not restricted, attributes are missing, or the rows of `fit` are
            no longer available

        Notes
        -----
        Fit with a small `tol`, 1e-9 for example, because the intervals are valid only at the
        maximum. The rows must not have changed since `fit`. Attributes that the data cannot tell
        apart have the interval (0, 1).

        The intervals come from the curvature of the log-likelihood of the rows (observed
        information) and are normal in log odds. They need memory for n_features² numbers and one
        more pass over the rows of `fit`.
        """
        logs = self._logs_of_one("A confidence interval")[:, 1]
        check_number(level, "level", "Pass 0.95 for example.", above=0, below=1)
        if not self.restricted:
            raise DataError(
                "The inhibitions of a general noisy-or are not identified.",
                "Fit with restricted=True.",
            )
        source = getattr(self, "_source", None)
        if source is None:
            raise DataError(
                "The rows passed to fit are no longer in memory: a copy, or a model loaded "
                "from a file, does not keep them.",
                "Fit again, then ask for the intervals.",
            )
        if self._has_gaps:
            raise DataError(
                "Some attributes are missing in the rows passed to fit.", "Leave such rows out."
            )
        if not self.converged_:
            raise DataError(
                "EM stopped before it reached the maximum.", "Raise max_iter, and fit again."
            )
        if self.n_features_in_ > _MOST_INTERVALS:
            raise DataError(
                f"Intervals of {self.n_features_in_:,} attributes need a matrix with the "
                "square of that number of entries.",
                f"Choose {_MOST_INTERVALS:,} attributes or fewer.",
            )
        leak, f = float(np.log(self.leak_)), self.label_frequency_
        found = source.total(
            lambda block: Curvature.of(self._prepared(block), logs, leak, f),
            Curvature.zero(len(logs)),
        )
        estimate = np.concatenate([np.exp(logs), [self.leak_, f]])
        free = np.ones(len(estimate), dtype=bool)
        free[-2:] = self.leak, self.label_frequency == "estimate"
        lower, upper = logit_intervals(found, estimate, free, level)
        parameters = np.array([*map(str, self._names), "leak", "label_frequency"])
        return frame_of(
            {
                "parameter": parameters[free].tolist(),
                "estimate": estimate[free].tolist(),
                "lower": lower[free].tolist(),
                "upper": upper[free].tolist(),
            },
            backend,
        )

    def canonical(self) -> Self:
        """The noisy-or with q_j(0) + q_j(1) = 1 that gives the same labels, section 4.1.

        The leak becomes part of the threshold t.

        Raises
        ------
        DataError : if an inhibition is 0
        """
        return self._converted(conversions.canonical(self._rule("The canonical form")))

    def to_restricted(self) -> Self:
        """The noisy-or with q_j(0) = 1 that gives the same labels, Lemma 3.

        The leak becomes part of the threshold t.

        Raises
        ------
        DataError : unless q_j(0) ≥ q_j(1) > 0 for each attribute
        """
        rule = self._rule("The restricted form")
        lower = rule.log_inhibition[:, 0] < rule.log_inhibition[:, 1]
        if lower.any():
            raise DataError(
                f"Attributes {self._named(lower)} make a row less likely to be positive, "
                "which the restricted form cannot represent.",
                "Leave them out, or negate them.",
            )
        converted = self._converted(conversions.restricted(rule))
        converted.restricted = True
        return converted

    def to_logistic(self) -> LogisticRegression:
        """The logistic regression with the same `decision_function` and labels, Lemma 5.

        The probabilities differ, because in a noisy-or the log odds of P(C = 1 | a) are not a sum
        over attributes.

        Raises
        ------
        DataError : if an inhibition is 0
        """
        coef, intercept = conversions.to_weights(self._rule("A logistic regression"))
        model = LogisticRegression()
        model.coef_, model.intercept_ = coef[None, :], np.array([intercept])
        model.classes_, model.n_features_in_ = self.classes_, self.n_features_in_
        model.n_iter_ = np.array([0])
        if hasattr(self, "feature_names_in_"):
            model.feature_names_in_ = self.feature_names_in_
        return model

    @classmethod
    def from_logistic(cls, clf: Any) -> Self:
        """The noisy-or with the labels of a logistic regression on binary attributes, Lemma 4.

        Parameters
        ----------
        clf : fitted classifier, with `coef_` of shape (1, n_features), `intercept_`, and two labels
            in `classes_`

        Raises
        ------
        DataError : if `coef_` has another shape or is not finite
        """
        check_is_fitted(clf)
        coef: Any = getattr(clf, "coef_", np.empty(0))
        coef = np.asarray(coef.toarray() if sparse.issparse(coef) else coef, dtype=np.float64)
        if not np.isfinite(coef).all():
            raise DataError(
                f"{type(clf).__name__} has values of coef_ that are not finite.", "Fit it again."
            )
        if coef.ndim != 2 or len(coef) != 1:  # noqa: PLR2004 - one row of weights
            raise DataError(
                f"{type(clf).__name__} has coef_ of shape {coef.shape}.",
                "Pass a logistic regression of two classes, fitted.",
            )
        made = cls()
        made.classes_, made.n_features_in_ = clf.classes_, coef.shape[1]
        made._label_column = None
        if hasattr(clf, "feature_names_in_"):
            made.feature_names_in_ = clf.feature_names_in_
        rule = conversions.from_weights(coef[0], float(np.ravel(clf.intercept_)[0]))
        return made._taking(rule, np.full((coef.shape[1], 2), 0.5))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_source": None}

    def _rule(self, what: str) -> Rule:
        logs = self._logs_of_one(what)[:, :2]
        none = ~np.isfinite(logs).all(axis=1)
        if none.any():
            raise DataError(
                f"{what} needs inhibitions above 0; those of {self._named(none)} are 0.",
                "Pass inhibition_prior=(1.1, 1.0) and fit again.",
            )
        return Rule(logs, self.log_threshold_ - float(np.log(self.leak_)))

    def _named(self, which: Any, most: int = 5) -> str:
        found = [str(name) for name in self._names[which]]
        return ", ".join(found[:most]) + (f" and {len(found) - most} more" * (len(found) > most))

    def _converted(self, rule: Rule) -> Self:
        made: Self = clone(self).set_params(restricted=False, leak=False, label_frequency=1.0)
        for name in ("classes_", "n_features_in_", "feature_names_in_", "_label_column"):
            if hasattr(self, name):
                setattr(made, name, getattr(self, name))
        return made._taking(rule, self._marginals)

    def _taking(self, rule: Rule, marginals: Floats) -> Self:
        """Turn this object into a fitted noisy-or with this rule, and return it."""
        self._marginals = marginals
        effects = conversions.effects_of(rule.log_inhibition)
        self._parameters = Parameters(effects)
        self._rule_is(self._parameters, rule.log_inhibition)
        self.effect_probs_, self.inhibition_ = effects, effects[:, :, 0]
        self.leak_, self.label_frequency_ = 1.0, 1.0
        self.log_threshold_ = rule.log_threshold
        return self
