"""Neo4j Browser, served on this machine out of its jar, with our saved queries and style in it.

Browser is a page that speaks Bolt by itself. So it needs nothing of the database but its address,
and the local Neo4j keeps its own HTTP switched off.
"""

import json
import mimetypes
import re
import zipfile
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from graph_memory.errors import InvalidArgumentError
from graph_memory.local_neo4j.configuration import LOOPBACK

_FOLDER = "graph-memory"

# Nothing leaves this machine but what Browser says to the database.
_POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' ws: wss:"
)

# Where Browser keeps favourites, their folders and the style, as of the version in the lock.
_SEED = """\
const ours = {ours};
const kept = name => JSON.parse(localStorage.getItem("neo4j." + name) || "null");
const keep = (name, value) => localStorage.setItem("neo4j." + name, JSON.stringify(value));
for (const name of ["folders", "documents"]) {{
  const others = (kept(name) || []).filter(each => !String(each.id).startsWith("graph-memory"));
  keep(name, [...others, ...ours[name]]);
}}
if (!kept("grass")) keep("grass", ours.grass);
"""


def browser_server(jar: Path, port: int) -> ThreadingHTTPServer:
    """Return a server of Neo4j Browser on the loopback interface; its caller lets it serve.

    Args:
        jar: As `ensure_browser` returns it.
        port: Where to listen; 0 chooses a free one.

    Raises:
        InvalidArgumentError: Something else listens there.
    """
    files = zipfile.ZipFile(jar)

    class Handler(_Handler):
        pages = files

    try:
        return ThreadingHTTPServer((LOOPBACK, port), Handler)
    except OSError as error:
        raise InvalidArgumentError("--port", port, "a port nothing listens on, or 0") from error


def browser_address(port: int, *, uri: str, user: str, database: str, group: str) -> str:
    """Return where Browser opens with the database filled in and `:param group` in its editor."""
    scheme, host = urlsplit(uri)[:2]
    asked = {"dbms": f"{scheme}://{user}@{host}", "db": database}
    asked |= {"cmd": "param", "arg": f"group => '{group}'"}
    return f"http://{LOOPBACK}:{port}/browser/?{urlencode(asked, quote_via=quote)}"


def saved_queries() -> dict[str, str]:
    """Return the queries of `config/neo4j-browser` by name, in Browser's order."""
    files = (each for each in (_root() / "queries").iterdir() if each.name.endswith(".cypher"))
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(files, key=_name)}


def style() -> dict[str, dict[str, str]]:
    """Return the style sheet as Browser keeps it: properties by selector."""
    sheet = (_root() / "graph.grass").read_text(encoding="utf-8")
    return {
        selector: dict(re.findall(r"([\w-]+): '?(.*?)'?;", body))
        for selector, body in re.findall(r"^([\w.]+) \{\n(.*?)^\}", sheet, re.M | re.S)
    }


def seed() -> str:
    """Return the script that puts our queries and, if there is none, our style into Browser."""
    documents = [
        {"id": f"graph-memory-{name}", "content": text, "folder": _FOLDER}
        for name, text in saved_queries().items()
    ]
    ours = {
        "folders": [{"id": _FOLDER, "name": _FOLDER}],
        "documents": documents,
        "grass": style(),
    }
    return _SEED.format(ours=json.dumps(ours))


class _Handler(BaseHTTPRequestHandler):
    pages: zipfile.ZipFile
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        name = path.lstrip("/") + "index.html" * path.endswith("/")
        if name == "browser/graph-memory.js":
            self._answer(seed().encode(), name)
        elif name in self.pages.namelist():
            self._answer(self._page(name), name)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _page(self, name: str) -> bytes:
        page = self.pages.read(name)
        if name == "browser/index.html":
            page = page.replace(b"<script", b'<script src="graph-memory.js"></script><script', 1)
        return page

    def _answer(self, body: bytes, name: str) -> None:
        self.send_response(HTTPStatus.OK)
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", _POLICY)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: each page is some thirty requests."""


def _root() -> Path | Traversable:
    packaged = resources.files("graph_memory") / "neo4j-browser"
    checkout = Path(__file__).parents[2] / "config" / "neo4j-browser"
    return packaged if packaged.is_dir() else checkout


def _name(file: Path | Traversable) -> str:
    return file.name
