"""The one reader of files: formats, encodings, notations of numbers and names of columns."""
