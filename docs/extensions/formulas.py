"""Formulas as MathML, which browsers draw without a script, a font or a network.

TeX becomes MathML when the pages are built. A formula that cannot be converted is an error.
"""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

FUNCTION = r"<mi>(?:exp|ln|log)</mi>"
THIN = '<mspace width="0.17em"></mspace>'
CHANGES = {
    "<mo>&#x02016;</mo>": '<mo stretchy="false">&#x02016;</mo>',  # a norm is as high as its letter
    "<mi>&#x0007E;</mi>": "<mo>&#x0223C;</mo>",  # "is distributed as" is a relation
    rf'({FUNCTION})(?!<mo stretchy="false">)': rf"\1{THIN}",  # a gap on both sides, as TeX has it
    rf"(?<=</mi>)({FUNCTION})|(?<=</mo>)({FUNCTION})": rf"{THIN}\1\2",
    r"<msub><mo>(min|max|inf|sup)</mo>(<mi>.*?</mi>|<mrow>.*?</mrow>)</msub>": (
        r"<munder><mo movablelimits='true'>\1</mo>\2</munder>"  # limits stand below the operator
    ),
}


def mathml(tex: str, *, display: str = "inline") -> str:
    """The `math` element of a formula."""
    found = convert(tex, display=display)
    for pattern, mended in CHANGES.items():
        found = re.sub(pattern, mended, found)
    return found


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(f'<span class="formula">{mathml(node.astext())}</span>')
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula of its own line."""
    self.body.append(self.starttag(node, "div", CLASS="formula"))
    self.body.append(f"{mathml(node.astext(), display='block')}</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the renderer."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
