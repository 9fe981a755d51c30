"""The README shows what its command prints, and is short."""

import re
from pathlib import Path

from typer.testing import CliRunner

from sksieve.cli._app import app

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_command_of_the_readme_prints_what_the_readme_shows():
    block = re.search(r"```console\n\$ sksieve ([^\n]+)\n(.*?)```", README, flags=re.S)
    result = CliRunner().invoke(app, block[1].split(), env={"COLUMNS": "110"})
    assert result.exit_code == 0, result.output
    printed = [line.rstrip() for line in result.stdout.splitlines()]
    displayed = [line.rstrip() for line in block[2].splitlines()]
    assert displayed == printed


def test_the_readme_is_read_in_a_minute_and_has_absolute_links_only():
    prose = re.sub(r"```.*?```", "", README, flags=re.S)
    assert len(prose.split()) <= 350
    assert not [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
