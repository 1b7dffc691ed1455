"""Encodings of stored values: group keys, compressed contents, titles, metadata."""

import base64
import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Annotated, Any, cast

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
    """Return a content as text; statements return a compressed one as a list of one item.

    A number, which another client may have stored, becomes its text.

    Raises:
        ValueError: The content is compressed and damaged.
    """
    if not isinstance(content, list):
        return str(content) if isinstance(content, int | float) else content
    try:
        return decompress(content[0])
    except (OSError, EOFError, TypeError, zlib.error) as error:
        raise ValueError("the compressed content is damaged") from error


def texts_of(values: object) -> object:
    """Return a list of text; another client may have stored numbers, or a single value."""
    if values is None:
        return None
    items = cast(list[object], values) if isinstance(values, list) else [values]
    return [item if isinstance(item, str) else str(item) for item in items if item is not None]


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


#: A list of text read from the database.
StoredTexts = Annotated[list[str], BeforeValidator(texts_of)]

#: A content read from the database, plain or compressed.
StoredContent = Annotated[str, BeforeValidator(content_of)]

#: A JSON object read from a text property.
JsonObject = Annotated[dict[str, Any], BeforeValidator(_object)]
