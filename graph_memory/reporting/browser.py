"""The saved queries of Neo4j Browser, with the formulas and settings of this service in them.

The files name the fragments that they need. A query for Browser has them in its text, computes with
the present, and holds the settings as a map, so that it needs nothing but the group.
"""

import json
import re
from typing import Any, cast

from graph_memory.database.statements import spliced
from graph_memory.decay import policies
from graph_memory.local_neo4j.browser import saved_queries
from graph_memory.settings.base import Settings

_SETTING = re.compile(r"\$decay\.(\w+)")

#: The present in UTC; Browser may take the queries as Cypher 5, which cannot format an instant.
_NOW = "toString(datetime({epochMillis: datetime().epochMillis})) AS now"


def browser_queries(settings: Settings) -> dict[str, str]:
    """Return the saved queries by name, each complete, in the order of Browser.

    Args:
        settings: The decay policies and their numbers, which the queries compute with.
    """
    decay = policies.parameters(settings)
    return {
        name: _complete(text, decay, settings) if "// include " in text else text
        for name, text in saved_queries().items()
    }


def _complete(text: str, decay: dict[str, Any], settings: Settings) -> str:
    title, _, template = text.partition("\n")
    body = spliced(template, settings.policy_dir)
    used = dict.fromkeys(_SETTING.findall(body))
    numbers = _literal({name: decay[name] for name in used})
    bound = body.replace("$now", "now").replace("$decay.", "decay.")
    return f"{title}\nWITH {_NOW},\n     {numbers} AS decay\n{bound}\n"


def _literal(value: object) -> str:
    """Return a value of the settings as Cypher."""
    if isinstance(value, dict):
        pairs = cast(dict[str, object], value).items()
        return "{" + ", ".join(f"`{name}`: {_literal(each)}" for name, each in pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_literal, cast(list[object], value))) + "]"
    return json.dumps(value, ensure_ascii=False)  # texts, numbers and null are those of JSON
