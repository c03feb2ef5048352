"""What an estimator without `predict_proba` says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar


class MayLackProbabilities:
    """An estimator that says what gives probabilities where it has no `predict_proba`.

    The error is an `AttributeError`, so that `hasattr` is False, as scikit-learn asks.
    """

    _gives_probabilities: ClassVar[str] = (
        "Pass its scores and a class prior to onesided.promises.calibrate_posterior, which turns "
        "scores into probabilities."
    )

    if not TYPE_CHECKING:  # a type checker would believe in every attribute

        def __getattr__(self, name: str) -> Any:
            """Called only where there is no such attribute."""
            if name == "predict_proba":
                raise self._without_probabilities()
            return self.__getattribute__(name)  # raises as it did before

    def _without_probabilities(self) -> AttributeError:
        return AttributeError(
            f"{type(self).__name__!r} object has no attribute 'predict_proba', because its scores "
            f"are not probabilities. {self._gives_probabilities}"
        )
