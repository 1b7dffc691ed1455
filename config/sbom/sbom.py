"""Write the bill of materials of a release: each package and jar with version, hashes and licence.

Run `python config/sbom/sbom.py [FILE]`; `make build` does. The format is CycloneDX 1.6 in JSON. The
packages are those of `config/requirements.lock`, the jars those of the local Neo4j. `licences.toml`
has what the metadata of packages leaves open, and the licences that are allowed.
"""

import argparse
import importlib.metadata
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from license_expression import ExpressionError, Licensing, get_spdx_licensing
from packageurl import PackageURL

from graph_memory import __version__
from graph_memory.local_neo4j.lock_file import BROWSER_LOCK_FILE, Jar, read_lock

FOLDER = Path(__file__).parent
LOCK = FOLDER.parent / "requirements.lock"

_PIN = re.compile(r"^([\w.-]+)==([^\s\\]+)[^\n]*((?:\n +--hash=sha256:\w+ *\\?)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Package:
    """A release that the lock pins, with the hashes of its files."""

    name: str
    version: str
    sha256: tuple[str, ...]


def packages(lock: str) -> Iterator[Package]:
    """Yield the releases of a lock; some names have two, for different versions of Python."""
    for name, version, hashes in _PIN.findall(lock):
        yield Package(name, version, tuple(re.findall(r"sha256:(\w+)", hashes)))


def jars() -> list[Jar]:
    """Return the jars of Neo4j and of Neo4j Browser."""
    return [*read_lock(), *read_lock(BROWSER_LOCK_FILE)]


def coordinates(jar: Jar) -> str:
    """Return what identifies a jar in a repository and in `jars.tsv`."""
    return f"{jar.group}:{jar.artifact}:{jar.version}"


@cache
def data() -> dict[str, Any]:
    """Return the content of `licences.toml`."""
    return tomllib.loads((FOLDER / "licences.toml").read_text(encoding="utf-8"))


@cache
def jar_licences() -> dict[str, list[str]]:
    """Return the licences of each jar by its coordinates, as its publisher names them."""
    lines = (FOLDER / "jars.tsv").read_text(encoding="utf-8").splitlines()
    return {name: found.split("; ") for name, found in (line.split("\t") for line in lines)}


def licence(name: str) -> str:
    """Return the licence of a package as an SPDX expression.

    Raises:
        LookupError: Neither the metadata of the package nor `licences.toml` has it.
    """
    if given := data()["packages"].get(name):
        return given
    for found in _stated(name):
        return found
    raise LookupError(f"the licence of {name} is not known: add it to {FOLDER / 'licences.toml'}")


def _stated(name: str) -> Iterator[str]:
    """Yield the licences in the metadata of a package, the most exact first."""
    with suppress(importlib.metadata.PackageNotFoundError):
        metadata = importlib.metadata.metadata(name)
        for stated in (metadata.get("License-Expression"), metadata.get("License")):
            if stated and _is_expression(stated):
                yield stated
        for classifier in metadata.get_all("Classifier") or []:
            if found := data()["classifiers"].get(classifier.rpartition(" :: ")[2]):
                yield found


@cache
def _licensing() -> Licensing:
    """Return the licences of SPDX, which take a tenth of a second to build."""
    return get_spdx_licensing()


def _is_expression(text: str) -> bool:
    try:
        _licensing().parse(text, validate=True)
    except ExpressionError:
        return False
    return True


def is_allowed(expression: str) -> bool:
    """Check whether each licence of an expression, or one of its choices, is allowed."""
    allowed = {*data()["allowed"]["identifiers"]}
    return any(
        allowed.issuperset(_licensing().license_keys(choice)) for choice in expression.split(" OR ")
    )


def _package_component(package: Package) -> Component:
    purl = PackageURL("pypi", name=package.name, version=package.version)
    return Component(
        name=package.name,
        version=package.version,
        purl=purl,
        bom_ref=str(purl),
        licenses=[LicenseExpression(licence(package.name))],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in package.sha256],
    )


def _jar_component(jar: Jar) -> Component:
    qualifiers = {"classifier": jar.classifier} if jar.classifier else None
    purl = PackageURL("maven", jar.group, jar.artifact, jar.version, qualifiers)
    return Component(
        group=jar.group,
        name=jar.artifact,
        version=jar.version,
        purl=purl,
        bom_ref=str(purl),
        licenses=[DisjunctiveLicense(name=name) for name in jar_licences()[coordinates(jar)]],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=jar.sha256)],
    )


def bill() -> Bom:
    """Return the bill of materials of this version."""
    service = Component(
        name="graph-memory",
        version=__version__,
        type=ComponentType.APPLICATION,
        purl=PackageURL("pypi", name="graph-memory", version=__version__),
        licenses=[LicenseExpression("Apache-2.0")],
    )
    parts = [_package_component(each) for each in packages(LOCK.read_text(encoding="utf-8"))]
    parts += [_jar_component(each) for each in jars()]
    bom = Bom(components=parts)
    bom.metadata.component = service
    bom.register_dependency(service, parts)
    return bom


def page() -> str:
    """Return the page of the documentation that lists all licences."""
    every = packages(LOCK.read_text(encoding="utf-8"))
    names = sorted({each.name for each in every}, key=str.lower)
    rows = [f"| {name} | {licence(name)} |" for name in names]
    by_licences = Counter("; ".join(jar_licences()[coordinates(each)]) for each in jars())
    jar_rows = [f"| {names} | {count} |" for names, count in sorted(by_licences.items())]
    introduction = (FOLDER.parents[1] / "docs/_intro/licences.md").read_text(encoding="utf-8")
    return "\n".join(
        [
            introduction,
            "## Packages of Python\n",
            "| package | licence (SPDX) |\n|---|---|",
            *rows,
            "\n## Jars of Neo4j\n",
            "| licences that the publisher names | jars |\n|---|---|",
            *jar_rows,
        ]
    )


def main() -> None:
    """Write the bill of materials, and print the path of its file."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(f"dist/graph-memory-{__version__}.cdx.json")
    parser.add_argument("file", type=Path, nargs="?", default=default, help=f"Default: {default}.")
    file: Path = parser.parse_args().file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(JsonV1Dot6(bill()).output_as_string(indent=2) + "\n", encoding="utf-8")
    print(file)


if __name__ == "__main__":
    main()
