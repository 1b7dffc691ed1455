"""Write `jars.tsv`: the licences of each jar of the local Neo4j, as its publisher states them.

Run `python config/sbom/jar_licences.py` after a change of a lock file of jars. Maven Central has a
POM for each jar; a POM without licences inherits those of its parent.
"""

import functools
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree.ElementTree import Element

import httpx
from defusedxml import ElementTree
from sbom import coordinates, jars

JARS = Path(__file__).with_name("jars.tsv")
_REPOSITORY = httpx.Client(
    base_url="https://repo.maven.apache.org/maven2/",
    transport=httpx.HTTPTransport(retries=5),
    timeout=60,
)


@functools.cache
def _pom(group: str, artifact: str, version: str) -> Element:
    path = f"{group.replace('.', '/')}/{artifact}/{version}/{artifact}-{version}.pom"
    answer = _REPOSITORY.get(path).raise_for_status()
    return ElementTree.fromstring(re.sub(rb' xmlns="[^"]+"', b"", answer.content, count=1))


def licences(group: str, artifact: str, version: str) -> list[str]:
    """Return the licences of a POM, or of its nearest ancestor that names some."""
    pom = _pom(group, artifact, version)
    names = [name.strip() for name in _texts(pom, "licenses/license/name")]
    parent = pom.find("parent")
    if names or parent is None:
        return names
    return licences(*(_texts(parent, part)[0] for part in ("groupId", "artifactId", "version")))


def _texts(element: Element, path: str) -> list[str]:
    return [(each.text or "").strip() for each in element.findall(path)]


def lines() -> Iterator[str]:
    """Yield a line for each jar: coordinates, a tab, licences separated by semicolons."""
    every = jars()
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda jar: licences(jar.group, jar.artifact, jar.version), every)
        for jar, names in zip(every, found, strict=True):
            yield f"{coordinates(jar)}\t{'; '.join(names)}\n"


if __name__ == "__main__":
    JARS.write_text("".join(lines()), encoding="utf-8")
