"""Curves drawn by matplotlib, in the convention of scikit-learn's displays."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike
from sklearn.utils._optional_dependencies import check_matplotlib_support
from sklearn.utils._response import _get_response_values

from onesided._labels import Scenario
from onesided.metrics._corrected import PriorOrEstimate
from onesided.metrics._curves import (
    DRAWN,
    PUPrecisionRecallCurve,
    PURocCurve,
    pu_precision_recall_curve,
    pu_roc_curve,
)

_FAINT = 0.2  # opacity of a band


class _CurveDisplay:
    """Base class of both displays."""

    _curve_of: ClassVar[Any]

    def __init__(self, curve: Any, *, name: str | None = None) -> None:
        self.curve = curve
        self.name = name

    @classmethod
    def from_estimator(  # noqa: PLR0913 - as scikit-learn's
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        class_prior: PriorOrEstimate,
        scenario: Scenario,
        sample_weight: ArrayLike | None = None,
        positive_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        confidence: float | None = 0.95,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a fitted estimator on rows that were held out.

        Parameters
        ----------
        estimator : fitted, has `decision_function` or `predict_proba`; pipelines too
        X : rows that were held out
        y, class_prior, scenario, sample_weight : as in `pu_average_precision`
        positive_label : the value of y that means positive; by default the second of the
            estimator's ``classes_``
        name, ax, confidence, kwargs : as in `plot`; by default the name is the estimator's class
            name
        """
        label = estimator.classes_.tolist()[1] if positive_label is None else positive_label
        methods = ["decision_function", "predict_proba"]
        scores, _ = _get_response_values(estimator, X, response_method=methods, pos_label=label)
        return cls.from_predictions(
            y,
            scores,
            class_prior=class_prior,
            scenario=scenario,
            sample_weight=sample_weight,
            positive_label=label,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            confidence=confidence,
            **kwargs,
        )

    @classmethod
    def from_predictions(  # noqa: PLR0913 - as scikit-learn's
        cls,
        y: ArrayLike,
        y_score: ArrayLike,
        *,
        class_prior: PriorOrEstimate,
        scenario: Scenario,
        sample_weight: ArrayLike | None = None,
        positive_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        confidence: float | None = 0.95,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of scores that were computed before.

        Parameters
        ----------
        y, y_score, class_prior, scenario, sample_weight, positive_label : as in
            `pu_average_precision`
        name, ax, confidence, kwargs : as in `plot`
        """
        curve = cls._curve_of(
            y,
            y_score,
            class_prior=class_prior,
            scenario=scenario,
            sample_weight=sample_weight,
            positive_label=positive_label,
        )
        return cls(curve, name=name).plot(ax, confidence=confidence, **kwargs)

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        confidence: float | None = 0.95,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve and its band.

        Parameters
        ----------
        ax : matplotlib axes to draw on; by default the current axes
        name : text in the legend; by default the name of the display
        confidence : confidence level of the band, in (0, 1); None draws no band
        kwargs : given to matplotlib's `plot`

        Returns
        -------
        the display, with `ax_`, `figure_`, `line_` and `band_`
        """
        check_matplotlib_support(f"{type(self).__name__}.plot")
        from matplotlib import pyplot as plt  # noqa: PLC0415 - optional

        self.ax_ = plt.gca() if ax is None else ax
        self.figure_ = self.ax_.figure
        label = self.name if name is None else name
        self.line_ = self.ax_.plot(DRAWN, self.curve.at(DRAWN), **{"label": label, **kwargs})[0]
        self.band_ = None
        if confidence is not None:
            color = self.line_.get_color()
            band = self.curve.band(DRAWN, confidence=confidence)
            self.band_ = self.ax_.fill_between(DRAWN, *band, color=color, alpha=_FAINT, lw=0)
        across, up = self.curve.titles
        self.ax_.set(xlabel=across, ylabel=up, xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
        if label is not None:
            self.ax_.legend()
        return self


class PURocCurveDisplay(_CurveDisplay):
    """Matplotlib drawing of a ROC curve for all positives, with its confidence band.

    As in scikit-learn, use `from_estimator` or `from_predictions` to make it.

    Parameters
    ----------
    curve : from `pu_roc_curve`
    name : text in the legend

    Attributes
    ----------
    ax_, figure_, line_, band_ : matplotlib axes, figure, line and band that `plot` drew

    Examples
    --------
    >>> y, y_score = [1, 1, 0, 0, 0, 0, 0, 0] * 10, [5, 4, 5, 4, 3, 2, 1, 0] * 10
    >>> display = PURocCurveDisplay(pu_roc_curve(y, y_score, class_prior=0.25), name="model")
    >>> round(display.curve.area, 3)  # display.plot() draws it
    0.944
    """

    curve: PURocCurve
    _curve_of = staticmethod(pu_roc_curve)


class PUPrecisionRecallDisplay(_CurveDisplay):
    """Matplotlib drawing of a precision-recall curve for all positives, with its confidence band.

    As in scikit-learn, use `from_estimator` or `from_predictions` to make it.

    Parameters
    ----------
    curve : from `pu_precision_recall_curve`
    name : text in the legend

    Attributes
    ----------
    ax_, figure_, line_, band_ : matplotlib axes, figure, line and band that `plot` drew

    Examples
    --------
    >>> y, y_score = [1, 1, 0, 0, 0, 0, 0, 0] * 10, [5, 4, 5, 4, 3, 2, 1, 0] * 10
    >>> curve = pu_precision_recall_curve(y, y_score, class_prior=0.25, scenario="case-control")
    >>> display = PUPrecisionRecallDisplay(curve, name="model")
    >>> display.curve.at([0.5]).round(2).tolist()  # display.plot() draws it
    [0.75]
    """

    curve: PUPrecisionRecallCurve
    _curve_of = staticmethod(pu_precision_recall_curve)
