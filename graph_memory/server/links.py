"""Links of the protocol to the attachments in an answer.

Not every client can follow them: some fail at a content block that they do not know, and some ask
this server for the file. So they are sent only with the setting `resource_links`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from mcp.types import ResourceLink

from graph_memory.api.types import MAX_LINKS, link_fields
from graph_memory.domain.attachments import Attachment

Fields = Mapping[str, Any]

#: The version of the protocol that introduced links.
FIRST_VERSION = "2025-06-18"

#: The lists of memories in an answer.
_LISTS = ("results", "memories", "nodes")


def resource_links(answer: Fields) -> list[ResourceLink]:
    """Return a link for each attachment of the memories in an answer, the first 20.

    Args:
        answer: The structured content of an answer.
    """
    links: dict[str, ResourceLink] = {}
    for memory in _memories(answer):
        for each in memory.get("attachments", ()):
            attachment = Attachment(each["uri"], each.get("media_type"), each.get("title"))
            links[attachment.uri] = ResourceLink.model_validate(link_fields(attachment))
    return list(links.values())[:MAX_LINKS]


def _memories(answer: Fields) -> Iterator[Fields]:
    """Yield the objects of an answer that may be memories, the answer itself first."""
    lists = (answer.get(name) for name in _LISTS)
    found = (each for items in lists if isinstance(items, list) for each in cast(list[Any], items))
    for each in (answer, answer.get("start"), *found):
        if isinstance(each, Mapping):
            yield cast(Fields, each)
