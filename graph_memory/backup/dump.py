"""The line format of backups: every label, relationship, property and vector as JSON.

A node is `{"id", "labels", "properties"}`, a relationship `{"from", "to", "type", "properties"}`,
with the ids of the original database. Values without a JSON form are stored beside the properties:
`floats` as `[type, base64]` of little-endian IEEE numbers, `f` for 4 and `d` for 8 bytes;
`bytes` as base64; `temporals` as `[type, ISO 8601]`.

The checksum is the sum, modulo 2^256, of the SHA-256 of each line without ids; a relationship is
hashed with the hashes of its nodes. So it depends neither on order nor on ids, and a restored
database can be read back and compared.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from graph_memory.errors import BackupError

_DIGEST = 32
_PAGE = 256  # digests
_NO_PAGE = bytearray()
_MODULUS = 1 << 8 * _DIGEST

#: Length from which a list of numbers is written as bytes: shorter, faster and exact.
_FLOATS = 8

_PLAIN = (str, bool, int, float)
_TEMPORALS = ("DateTime", "Date", "Duration")  #: the driver's types


class Checksum:
    """The checksum of a graph, one line at a time, nodes first.

    It holds 32 bytes per node, in pages, so that a single large id needs no more than a page.
    """

    def __init__(self) -> None:
        self.nodes = 0
        self.edges = 0
        self._sum = 0
        self._pages: dict[int, bytearray] = {}

    def node(self, record: Mapping[str, Any]) -> None:
        """Add a node."""
        own = digest(record)
        page, begin = _place(record["id"])
        if page not in self._pages:
            self._pages[page] = bytearray(_PAGE * _DIGEST)
        self._pages[page][begin : begin + _DIGEST] = own
        self.nodes += 1
        self._sum += int.from_bytes(own)

    def has(self, number: int) -> bool:
        """Return True if a node was added."""
        return any(self._at(number))

    def edge(self, record: Mapping[str, Any]) -> None:
        """Add a relationship between nodes that were added."""
        ends = self._at(record["from"]) + self._at(record["to"])
        self.edges += 1
        self._sum += int.from_bytes(digest(record, ends))

    def hexdigest(self) -> str:
        """Return the checksum as hexadecimal digits."""
        return (self._sum % _MODULUS).to_bytes(_DIGEST).hex()

    def _at(self, number: int) -> bytes:
        page, begin = _place(number)
        return bytes(self._pages.get(page, _NO_PAGE)[begin : begin + _DIGEST])


def _place(number: int) -> tuple[int, int]:
    """Return the page of the digest of a node, and its first byte there."""
    page, offset = divmod(number, _PAGE)
    return page, offset * _DIGEST


def node(element_id: str, labels: list[str], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the line of a node, as an object.

    Raises:
        BackupError: A property has a type that a line cannot hold.
    """
    return {"id": _number(element_id), "labels": sorted(labels), **_fields(properties)}


def edge(from_id: str, to_id: str, kind: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the line of a relationship, as an object; errors are those of `node`."""
    ends = {"from": _number(from_id), "to": _number(to_id)}
    return {**ends, "type": kind, **_fields(properties)}


def _number(element_id: str) -> int:
    """Return the number in an element id; it is small, and unique at one instant."""
    return int(element_id.rpartition(":")[2])


def _fields(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of a node or relationship in JSON's types."""
    fields: dict[str, dict[str, Any]] = {"properties": {}}
    for key in sorted(key for key in properties if properties[key] is not None):
        kind, value = _encode_property(key, properties[key])
        fields.setdefault(kind, {})[key] = value
    return fields


def parameters(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the statement parameters that restore a node or relationship."""
    properties = dict(record["properties"])
    vectors: dict[str, Any] = {}
    for key, (kind, text) in record.get("floats", {}).items():
        numbers = base64.b64decode(text)
        if kind == "f":
            vectors[key] = np.frombuffer(numbers, "<f4")
        else:
            properties[key] = np.frombuffer(numbers, "<f8").tolist()
    for key, text in record.get("bytes", {}).items():
        properties[key] = base64.b64decode(text)
    return {
        "properties": properties,
        "vectors": vectors,
        "temporals": record.get("temporals", {}),
    }


def to_line(record: Mapping[str, Any]) -> str:
    """Return a record as a line of JSON."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _encode_property(key: str, value: Any) -> tuple[str, Any]:
    """Return the section of a line that holds a property, and its value there."""
    if isinstance(value, bytes | bytearray):
        return "bytes", base64.b64encode(value).decode()
    if isinstance(value, dict):  # an instant, from the fragments in cypher/fragments/backup
        return "temporals", ["datetime", value["utc"]]
    is_list = type(value).__name__ == "list"
    items: list[Any] = value if is_list else [value]
    if len(items) >= _FLOATS and all(type(item) is float for item in items):
        return "floats", _encode_floats(items)
    if all(isinstance(item, _PLAIN) for item in items):
        return "properties", value
    kind = type(items[0]).__name__
    if kind not in _TEMPORALS:
        raise BackupError(f"Property '{key}' has the type {kind}, which backups do not support.")
    described = [_describe_temporal(kind, item) for item in items]
    kind, text = described[0]
    return "temporals", [kind, [each for _, each in described] if is_list else text]


def _describe_temporal(kind: str, value: Any) -> tuple[str, str]:
    """Return a temporal value as type and text, with the zone name that the driver leaves out."""
    if kind != "DateTime":
        return kind.lower(), value.iso_format()
    if value.tzinfo is None:
        return "localdatetime", value.iso_format()
    zone = getattr(value.tzinfo, "zone", None) or getattr(value.tzinfo, "key", None) or ""
    return "datetime", value.iso_format() + (f"[{zone}]" if "/" in zone else "")


def _encode_floats(numbers: list[float]) -> list[str]:
    """Return numbers as type and base64, in 4 bytes each if that is exact, else in 8."""
    wide = np.array(numbers, "<f8")
    with np.errstate(over="ignore"):
        narrow = wide.astype("<f4")
    exact = narrow if np.array_equal(narrow, wide) else wide
    return ["f" if exact is narrow else "d", base64.b64encode(exact.tobytes()).decode()]


def digest(record: Mapping[str, Any], ends: bytes = b"") -> bytes:
    """Return the SHA-256 of a node or relationship without ids, 32 bytes; `ends` are hashed too."""
    content = {key: record[key] for key in record if key not in ("id", "from", "to")}
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(ends + text.encode()).digest()
