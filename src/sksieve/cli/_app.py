"""The commands. Nothing heavy is imported until one runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from . import _options as options

#: The parser's refusals, with the words that were typed.
Refusal: Any = typer.BadParameter.__mro__[1]


@contextmanager
def _printable_refusals() -> Iterator[None]:
    """Show what was typed as text: nothing in it moves the cursor or sets a direction."""
    try:
        yield
    except Refusal as error:
        from ..workflows._text import printable

        error.message = printable(error.message)
        raise


class Commands(TyperGroup):
    """The commands; their refusals are printable."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with _printable_refusals():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with _printable_refusals():
            return super().invoke(ctx)


app = typer.Typer(
    name="sksieve",
    cls=Commands,
    help="Which columns matter, and which groups are there: for tables without labels.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

bench = typer.Typer(
    name="bench",
    help="Compare methods on many data sets; stopped at any moment, the same command goes on.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, kind in (
    ("run", options.BenchRunOptions),
    ("status", options.BenchStatusOptions),
    ("retry", options.BenchRetryOptions),
    ("table", options.BenchTableOptions),
    ("report", options.BenchReportOptions),
    ("summary", options.BenchSummaryOptions),
    ("merge", options.BenchMergeOptions),
):
    options.register(bench, name, kind, "bench", name)

options.register(app, "select", options.SelectOptions, "select")
options.register(app, "cluster", options.ClusterOptions, "cluster")
options.register(app, "communities", options.CommunityOptions, "communities")
options.register(app, "compare", options.CompareOptions, "compare")
app.add_typer(bench)
options.register(app, "methods", options.MethodsOptions, "methods")
options.register(app, "datasets", options.DatasetsOptions, "datasets")
options.register(app, "warmup", options.WarmupOptions, "warmup")


def _version(requested: bool) -> None:
    if requested:
        import sksieve

        typer.echo(f"scikit-sieve {sksieve.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
