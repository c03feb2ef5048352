"""How the documentation is built."""

import onesided

project = "onesided"
copyright = "2026, the onesided developers"
release = onesided.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
]
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_prev_next": False}
html_show_sourcelink = False
exclude_patterns = ["_build"]
autodoc_typehints = "none"
numpydoc_show_class_members = False
