"""Write ``src/sksieve/__init__.pyi``, the list of public names, from the catalogue.

python tools/public_names.py --write   bring the file up to date
python tools/public_names.py --check   exit with 1 if it is not
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "sksieve"
STUB = PACKAGE / "__init__.pyi"
#: Public names that are not methods: module, name.
OTHERS = [
    *(("config", name) for name in ("config_context", "get_config", "set_config")),
    ("selection._missing", "MissingColumns"),
    ("workflows._cluster", "cluster"),
    ("workflows._communities", "communities"),
    ("workflows._compare", "compare"),
    ("workflows._select", "select"),
    ("workflows._warmup", "warmup"),
]
HEAD = "# Made by tools/public_names.py from the catalogue; do not edit.\n"


def stub() -> str:
    """Return the stub: one import for each class of the catalogue and other name, by module."""
    # By path: the package itself cannot be imported without the stub.
    methods = runpy.run_path(str(PACKAGE / "catalogue.py"), run_name="catalogue")["METHODS"]
    homes = sorted([*OTHERS, *((method.module, method.class_name) for method in methods)])
    lines = [f"from .{module} import {name} as {name}\n" for module, name in homes]
    return HEAD + "".join(lines) + "\n__all__: list[str]\n__version__: str\n"


def main() -> int:
    """Write or check the stub."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true")
    action.add_argument("--check", action="store_true")
    if parser.parse_args().write:
        STUB.write_text(stub(), encoding="utf-8")
    elif not STUB.exists() or STUB.read_text(encoding="utf-8") != stub():
        print(f"{STUB.name} differs from the catalogue; run: make names", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
