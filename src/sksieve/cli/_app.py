"""The commands. Nothing heavy is imported until one runs."""

from __future__ import annotations

from typing import Annotated

import typer

from . import _bench
from . import _options as options

__all__ = ["app"]

app = typer.Typer(
    name="sksieve",
    help="Which columns matter, and which groups are there: for tables without labels.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

options.register(app, "select", options.SelectOptions, "select")
options.register(app, "cluster", options.ClusterOptions, "cluster")
options.register(app, "communities", options.CommunityOptions, "communities")
options.register(app, "compare", options.CompareOptions, "compare")
app.add_typer(_bench.app)
options.register(app, "methods", options.MethodsOptions, "methods")
options.register(app, "datasets", options.DatasetsOptions, "datasets")


def _version(requested: bool) -> None:
    if requested:
        import sksieve

        typer.echo(f"scikit-sieve {sksieve.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass
