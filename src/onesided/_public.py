"""Public classes name the module that users import them from."""

import sys

import onesided


def name_publicly(package: str) -> None:
    """Set `__module__` of the public classes of a package, as the last line of the package does.

    What is pickled or stored then names no private file, which may move.

    Parameters
    ----------
    package : has `__all__`; its classes that `onesided` exports are of `onesided`
    """
    for name in sys.modules[package].__all__:
        found = getattr(sys.modules[package], name)
        if isinstance(found, type) and found.__module__.startswith(f"{package}._"):
            found.__module__ = "onesided" if name in onesided.__all__ else package
