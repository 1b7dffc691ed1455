"""Neo4j Browser, served from its jar on this machine, with our saved queries and style.

Browser is a page that speaks Bolt. It needs only the address of the database, so the HTTP server of
the local Neo4j stays off.
"""

import json
import mimetypes
import re
import zipfile
from collections.abc import Mapping
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
_START = "/browser/"

# Browser opens it if the address names no database. It looks up a named one before the login, when
# it knows no database yet, and shows DatabaseNotFoundError.
_DEFAULT_DATABASE = "neo4j"

# Browser may connect to the database only.
_POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' ws: wss:"
)

# The keys of favourites, folders and style in Browser, in the version of the lock file.
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


def browser_server(jar: Path, port: int, queries: Mapping[str, str]) -> ThreadingHTTPServer:
    """Return a server of Neo4j Browser on the loopback interface; the caller starts it.

    Args:
        jar: Jar that `ensure_browser` returns.
        port: Port to listen on; 0 takes a free one.
        queries: Texts of the saved queries, by name.

    Raises:
        InvalidArgumentError: The port is in use.
    """
    files = zipfile.ZipFile(jar)

    class Handler(_Handler):
        pages = files
        script = seed(queries).encode()

    try:
        return ThreadingHTTPServer((LOOPBACK, port), Handler)
    except OSError as error:
        raise InvalidArgumentError("--port", port, "a port nothing listens on, or 0") from error


def browser_address(port: int, *, uri: str, user: str, database: str, group: str) -> str:
    """Return the address of Browser with the database and `:param group` filled in."""
    scheme, host = urlsplit(uri)[:2]
    asked = {"dbms": f"{scheme}://{user}@{host}"}
    if database != _DEFAULT_DATABASE:
        asked["db"] = database
    asked |= {"cmd": "param", "arg": f"group => '{group}'"}
    return f"http://{LOOPBACK}:{port}{_START}?{urlencode(asked, quote_via=quote)}"


def saved_queries() -> dict[str, str]:
    """Return the queries of `config/neo4j-browser` by name, in the order of Browser.

    A query may include fragments of `cypher`.
    """
    files = (each for each in (_root() / "queries").iterdir() if each.name.endswith(".cypher"))
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(files, key=_name)}


def style() -> dict[str, dict[str, str]]:
    """Return the style sheet in the form of Browser: properties by selector."""
    sheet = (_root() / "graph.grass").read_text(encoding="utf-8")
    return {
        selector: dict(re.findall(r"([\w-]+): '?(.*?)'?;", body))
        for selector, body in re.findall(r"^([\w.]+) \{\n(.*?)^\}", sheet, re.M | re.S)
    }


def seed(queries: Mapping[str, str]) -> str:
    """Return the script that adds queries by name to Browser, and our style if it has none."""
    documents = [
        {"id": f"graph-memory-{name}", "content": text, "folder": _FOLDER}
        for name, text in queries.items()
    ]
    ours = {
        "folders": [{"id": _FOLDER, "name": _FOLDER}],
        "documents": documents,
        "grass": style(),
    }
    return _SEED.format(ours=json.dumps(ours))


class _Handler(BaseHTTPRequestHandler):
    pages: zipfile.ZipFile
    script: bytes
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        name = path.lstrip("/") + "index.html" * path.endswith("/")
        if path in ("/", "/browser"):
            self._redirect(_START)
        elif name == "browser/graph-memory.js":
            self._answer(self.script, name)
        elif name in self.pages.namelist():
            self._answer(self._page(name), name)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _page(self, name: str) -> bytes:
        page = self.pages.read(name)
        if name == "browser/index.html":
            page = page.replace(b"<script", b'<script src="graph-memory.js"></script><script', 1)
        return page

    def _redirect(self, to: str) -> None:
        self.send_response(HTTPStatus.FOUND)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, body: bytes, name: str) -> None:
        self.send_response(HTTPStatus.OK)
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", _POLICY)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: each page causes about thirty requests."""


def _root() -> Path | Traversable:
    packaged = resources.files("graph_memory") / "neo4j-browser"
    checkout = Path(__file__).parents[2] / "config" / "neo4j-browser"
    return packaged if packaged.is_dir() else checkout


def _name(file: Path | Traversable) -> str:
    return file.name
