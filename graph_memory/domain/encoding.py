"""Encodings of stored values: group keys, compressed contents, titles, metadata."""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

_NAME_CHARACTERS = 80
_SUMMARY_CHARACTERS = 500


def group_key(group_id: str) -> str:
    """Return the digits that represent a group in the full-text index.

    The analyser would change a plain id (lower case, stem, stop words) and so mix up groups.
    """
    return str(int.from_bytes(hashlib.sha256(group_id.encode()).digest()[:8], "big"))


def content_hash(content: str) -> str:
    """Return the SHA-256 of a content, which identifies it in its group."""
    return hashlib.sha256(content.encode()).hexdigest()


def compress(content: str) -> str:
    """Return a content as base64 of gzip: Graphiti's prompts cannot hold bytes of an entity."""
    return base64.b64encode(gzip.compress(content.encode(), mtime=0)).decode()


def decompress(text: str) -> str:
    """Return the content that `compress` encoded."""
    return gzip.decompress(base64.b64decode(text)).decode()


def content_of(content: str | list[str]) -> str:
    """Return a content as text; statements return a compressed one as a list of one item."""
    return decompress(content[0]) if isinstance(content, list) else content


def default_title(content: str) -> str:
    """Return the first 80 characters of a content, the title of a memory without its own."""
    return " ".join(content.split())[:_NAME_CHARACTERS]


def summary(content: str) -> str:
    """Return the first 500 characters of a content, its stand-in where the rest is not needed."""
    return content[:_SUMMARY_CHARACTERS]


def metadata_json(metadata: Mapping[str, Any]) -> str:
    """Return metadata as JSON text: properties of Neo4j cannot hold maps."""
    return json.dumps(dict(metadata), ensure_ascii=False, allow_nan=False)


def _object(value: object) -> object:
    return json.loads(value) if isinstance(value, str) else value


#: A content read from the database, plain or compressed.
StoredContent = Annotated[str, BeforeValidator(content_of)]

#: A JSON object read from a text property.
JsonObject = Annotated[dict[str, Any], BeforeValidator(_object)]
