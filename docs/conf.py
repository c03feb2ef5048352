"""How the documentation is built."""

import sys
from pathlib import Path

import onesided

sys.path.append(str(Path(__file__).parent / "extensions"))

project = "onesided"
copyright = "2026, the onesided developers"
release = onesided.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
    "myst_parser",
    "numpydoc",
    "formulas",
    "links",
    "plain_parameters",
    "summary",
    "verbs",
    "whole_pages",
]
templates_path = ["_templates"]
html_static_path = ["_static"]
html_theme = "pydata_sphinx_theme"
html_css_files = ["own.css"]
html_title = "onesided"
html_theme_options = {"show_prev_next": False, "show_toc_level": 2}
smartquotes_action = "qe"  # two hyphens begin an option
html_show_sourcelink = False
exclude_patterns = ["_build"]
html_math_renderer = "mathml"
autodoc_typehints = "none"
numpydoc_show_class_members = False
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": "/",  # every example is run
    "subsection_order": ["../examples/gallery/users", "../examples/gallery/papers"],
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "image_scrapers": ("altair_pictures",),
    "capture_repr": ("__repr__",),
    "ignore_repr_types": r"altair\..*",
    "reset_modules": (),
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 3600,
    "remove_config_comments": True,
}
