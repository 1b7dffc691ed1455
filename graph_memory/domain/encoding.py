"""domain.encoding."""

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
    """Return the digits that stand for a group in the full-text index.

    The analyser would lower-case, stem or drop the plain id, and mix groups up.
    """
    return str(int.from_bytes(hashlib.sha256(group_id.encode()).digest()[:8], "big"))


def _object(value: object) -> object:
    return json.loads(value) if isinstance(value, str) else value


def packed(content: str) -> str:
    """Return a content compressed: text, as Graphiti's prompts hold no bytes of an entity."""
    return base64.b64encode(gzip.compress(content.encode(), mtime=0)).decode()


def unpacked(text: str) -> str:
    """Return the content that `packed` has compressed."""
    return gzip.decompress(base64.b64decode(text)).decode()


def whole(content: str | list[str]) -> str:
    """Return a content that may come in a list: compressed, as that of an archived memory is."""
    return unpacked(content[0]) if isinstance(content, list) else content


def default_title(content: str) -> str:
    """Return the title of a memory that was given none."""
    return " ".join(content.split())[:_NAME_CHARACTERS]


def lead(content: str) -> str:
    """Return the beginning of a content, which stands for it where the whole is not needed."""
    return content[:_SUMMARY_CHARACTERS]


def metadata_json(metadata: Mapping[str, Any]) -> str:
    """Return metadata as stored; Neo4j properties hold no maps."""
    return json.dumps(dict(metadata), ensure_ascii=False, allow_nan=False)


#: A content, whether it is stored compressed or not.
WholeText = Annotated[str, BeforeValidator(whole)]
JsonObject = Annotated[dict[str, Any], BeforeValidator(_object)]
