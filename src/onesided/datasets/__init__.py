"""Problems with a known answer."""

from onesided.datasets._hide import HiddenLabels, hide_labels

__all__ = ["HiddenLabels", "hide_labels"]
