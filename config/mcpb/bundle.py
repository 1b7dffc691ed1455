"""Pack a wheel into an MCPB bundle, which Claude Desktop and other hosts install with one click.

Run `python config/mcpb/bundle.py WHEEL`. The bundle is written beside the wheel. It holds the
manifest, the entry point, the wheel, and a project that pins the dependencies as
`config/requirements.lock` does. The host installs them with uv.
"""

import argparse
import re
import zipfile
from pathlib import Path

FOLDER = Path(__file__).parent
LOCK = FOLDER.parent / "requirements.lock"

#: Name, version and marker of a pinned requirement.
_PIN = re.compile(r"^([\w.-]+==[^\s\\]+(?: ; [^\\\n]+?)?) *\\?$", re.MULTILINE)

_PROJECT = """\
[project]
name = "graph-memory-bundle"
version = "{version}"
requires-python = ">=3.11"
dependencies = ["graph-memory"]

[tool.uv]
package = false
constraint-dependencies = [
{pins}
]

[tool.uv.sources]
graph-memory = {{ path = "{wheel}" }}
"""


def main() -> None:
    """Pack the wheel that the command line names, and print the path of the bundle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="Wheel from `make build`.")
    print(bundle(parser.parse_args().wheel))


def bundle(wheel: Path) -> Path:
    """Pack a wheel; return the path of the bundle.

    Raises:
        FileNotFoundError: The wheel does not exist.
    """
    version = wheel.name.split("-")[1]
    target = wheel.with_name(f"graph-memory-{version}.mcpb")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("manifest.json", "server.py"):
            archive.write(FOLDER / name, name)
        archive.write(FOLDER.parent.parent / "LICENSE", "LICENSE")
        archive.writestr("pyproject.toml", _project(version, wheel.name))
        # A wheel is a compressed archive already.
        archive.write(wheel, wheel.name, zipfile.ZIP_STORED)
    return target


def _project(version: str, wheel: str) -> str:
    """Return the `pyproject.toml` of the bundle."""
    found = _PIN.findall(LOCK.read_text(encoding="utf-8"))
    pins = "\n".join(f'  "{pin.replace(chr(34), chr(39))}",' for pin in found)
    return _PROJECT.format(version=version, wheel=wheel, pins=pins)


if __name__ == "__main__":
    main()
