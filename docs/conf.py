"""Configuration of the documentation site: ``make docs``.

Pages of methods and benchmarks, pictures of methods and sample reports are made by
``tools/site_pages.py`` when a build starts; they are not committed.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]

from sphinx.util import logging  # noqa: E402

import prose  # noqa: E402
import site_pages  # noqa: E402
import sksieve  # noqa: E402

#: Set in the checks of every change: no example, picture or report is made.
LIGHT = bool(os.environ.get("SKSIEVE_DOCS_LIGHT"))

project = "scikit-sieve"
author = "The scikit-sieve developers"
copyright = author
version = release = sksieve.__version__
REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "urls"
]["Repository"]

#: The tag whose site is built, ``dev`` for the branch ``main``; None in a build at home.
PUBLISHED = os.environ.get("SKSIEVE_DOCS_VERSION")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinx.ext.linkcode",
    "sphinx-mathjax-offline",
]
exclude_patterns = ["_build", "_reports", "gallery/**/*.ipynb", "sg_execution_times.rst"]
default_role = "py:obj"  # a name in single backticks links where it is documented
nitpicky = False

if os.environ.get("SKSIEVE_DOCS_ONLINE"):  # links into other projects need the network
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": site_pages.examples_without_data(ROOT / "examples"),
    "plot_gallery": not LIGHT,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 60,
    "doc_module": ("sksieve",),
    "backreferences_dir": "gallery/backreferences",
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "scikit-sieve"
html_extra_path = ["llms.txt"] if LIGHT else ["llms.txt", "_reports"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["sortable.js"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 7,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
if PUBLISHED:  # what needs the network
    html_theme_options |= {
        "switcher": {
            "json_url": "https://scikit-sieve.github.io/scikit-sieve/versions.json",
            "version_match": PUBLISHED.removeprefix("v"),
        },
        "check_switcher": False,
        "navbar_end": ["version-switcher", "theme-switcher"],
    }
    sphinx_gallery_conf["binder"] = {
        "org": "scikit-sieve",
        "repo": "scikit-sieve",
        "branch": "gh-pages",
        "binderhub_url": "https://mybinder.org",
        "dependencies": "binder/requirements.txt",
        "use_jupyter_lab": True,
    }
html_sidebars = {"index": []}

suppress_warnings = ["config.cache"]


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """Address of the source of a class or function, at the tag that is built, else at main."""
    if domain != "py":
        return None
    thing: Any = importlib.import_module(info["module"])
    try:
        for name in info["fullname"].split("."):
            thing = getattr(thing, name)
        path = Path(inspect.getsourcefile(inspect.unwrap(thing)) or "")
        lines, start = inspect.getsourcelines(inspect.unwrap(thing))
    except (AttributeError, TypeError, OSError):
        return None
    if not path.is_relative_to(ROOT / "src"):
        return None
    place = path.relative_to(ROOT).as_posix()
    commit = PUBLISHED if PUBLISHED and PUBLISHED != "dev" else "main"
    return f"{REPOSITORY}/blob/{commit}/{place}#L{start}-L{start + len(lines) - 1}"


def _link_inside(app: Any, name: str, source: list[str]) -> None:
    """Links to files of the repository become links to the pages made from them."""
    up = "../" * name.count("/")
    text = re.sub(
        r"\]\((?:\.\./)+benchmarks/results/(\w+\.md)",
        rf"]({up}evidence/benchmarks/\1",
        source[0],
    )
    source[0] = re.sub(r"\[([^\]]+)\]\(\.\./benchmarks/grids\)", r"\1", text)


def _plain_names(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Names such as ``labels_`` and sizes such as ``|support|`` are text, not references."""
    for number, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "...")):
            continue
        head, colon, rest = line.partition(" : ")
        if not colon:
            head, rest = "", line
        rest = "`".join(
            part if inside % 2 else re.sub(r"\b([A-Za-z]\w*)_(?!\w)|\|(?=\w)", _escaped, part)
            for inside, part in enumerate(rest.split("`"))
        )
        lines[number] = f"{head}{colon}{rest}"


def _escaped(found: re.Match[str]) -> str:
    return f"{found[1]}\\_" if found[1] else "\\|"


def setup(app: Any) -> None:
    """Make the generated pages before the sources are read."""
    for problem in prose.stale():
        logging.getLogger(__name__).warning(problem)
    site_pages.write(ROOT / "docs", pictures=not LIGHT, reports=not LIGHT)
    app.connect("source-read", _link_inside)
    app.connect("autodoc-process-docstring", _plain_names, priority=100)
