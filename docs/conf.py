"""The configuration of the documentation; `make docs` builds it without a network."""

import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "graph-memory"
author = copyright = "The graph-memory developers"
release = version = PROJECT["version"]

extensions = ["myst_parser", "sphinx_copybutton"]
exclude_patterns = ["_build", "_intro"]  # docs/reference.py takes what is in _intro
suppress_warnings = ["misc.highlighting_failure"]  # settings of nginx and Caddy have no lexer
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "graph-memory"
html_static_path = ["_static"]
html_show_sphinx = False
html_copy_source = False

# A console session is copied without its prompts and its output.
copybutton_prompt_text = "$ "
