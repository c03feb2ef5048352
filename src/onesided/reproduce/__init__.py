"""The tables and figures of the papers, from data that the user has."""

from __future__ import annotations

from onesided._public import name_publicly
from onesided.reproduce._calvo2007 import calvo2007
from onesided.reproduce._geurts2011 import geurts2011
from onesided.reproduce._lee2003 import lee2003
from onesided.reproduce._lgn2007 import lgn2007
from onesided.reproduce._meanings import MEANINGS
from onesided.reproduce._paper import PAPERS, BesidePaper, beside_paper, reproduce
from onesided.reproduce._vomlel2004 import vomlel2004

__all__ = [
    "MEANINGS",
    "PAPERS",
    "BesidePaper",
    "beside_paper",
    "calvo2007",
    "geurts2011",
    "lee2003",
    "lgn2007",
    "reproduce",
    "vomlel2004",
]

name_publicly(__name__)
