"""Check the built distributions: one wheel, one sdist, their size, and what they hold.

python tools/check_dist.py FOLDER
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

#: Bytes of the sdist, at most.
LARGEST_SDIST = 1_500_000

#: What the sdist has; tests, which check the whole repository, stay there.
SDIST = {
    "src", "pyproject.toml", "PKG-INFO", "LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff",
    ".gitignore",
}  # fmt: skip

#: Files without which an installed package does not work.
NEEDED = {
    "sksieve/__init__.pyi",
    "sksieve/py.typed",
    "sksieve/datasets/catalogue.csv",
    "sksieve/report/templates/selection.html",
}


def problems(folder: Path) -> list[str]:
    """Return one sentence for each thing that is wrong."""
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if (len(wheels), len(sdists)) != (1, 1):
        return [f"{folder} has {len(wheels)} wheels and {len(sdists)} sdists, not one of each."]
    found = []
    with zipfile.ZipFile(wheels[0]) as archive:
        names = set(archive.namelist())
    found += [f"The wheel lacks {name}." for name in sorted(NEEDED - names)]
    tops = {name.split("/")[0] for name in names}
    found += [
        f"The wheel has {top}."
        for top in sorted(tops)
        if not top.startswith(("sksieve", "scikit_sieve"))
    ]
    size = sdists[0].stat().st_size
    print(f"{sdists[0].name}: {size:,} bytes; {wheels[0].name}: {wheels[0].stat().st_size:,} bytes")
    if size > LARGEST_SDIST:
        found.append(f"The sdist has {size:,} bytes, more than {LARGEST_SDIST:,}.")
    with tarfile.open(sdists[0]) as archive:
        firsts = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    found += [f"The sdist has {first}." for first in sorted(firsts - SDIST)]
    found += [f"The sdist lacks {first}." for first in sorted(SDIST - firsts)]
    return found


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    found = problems(Path(sys.argv[1]))
    print("\n".join(found))
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
