"""Types of settings: spans of time, fractions, lists written as text."""

import json
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode

from graph_memory.domain.models import GROUP_ID_PATTERN

_SEPARATORS = re.compile(r"[,\s]+")
_NOTATION = re.compile(r"[\[\]{}()\"';]")
_LIST_FORMS = 'a list as a,b or as JSON, ["a", "b"]'
_TABLE_FORMS = 'a table as name=value,name=value or as JSON, {"name": "value"}'

#: Length of a key for encryption, characters, at least.
KEY_CHARACTERS = 32

#: A century in days; a longer span would leave the calendar.
CENTURY = 36_500.0

#: A span in days, more than none.
Days = Annotated[float, Field(ge=0.001, le=CENTURY)]

#: A span in days, possibly none.
Span = Annotated[float, Field(ge=0, le=CENTURY)]

#: A half-life in days, possibly infinite.
HalfLife = Annotated[float, Field(ge=0.001, allow_inf_nan=True)]

Fraction = Annotated[float, Field(ge=0, le=1)]


def parse_list(value: object) -> object:
    """Parse the text of a list: JSON, or items with commas or white space between them.

    A value that is not a text is returned unchanged; so a table is for the type to refuse.

    Raises:
        ValueError: The text is neither.
    """
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return tuple(_json(value, _LIST_FORMS))
    return tuple(_plain(word, _LIST_FORMS) for word in _SEPARATORS.split(value) if word)


def parse_table(value: object) -> object:
    """Parse the text of a table: JSON, or `name=value` pairs with commas between them.

    A value that is not a text is returned unchanged.

    Raises:
        ValueError: The text is neither.
    """
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("{"):
        return _json(value, _TABLE_FORMS)
    return dict(_pair(part) for part in value.split(",") if part.strip())


def _json(text: str, forms: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"it is not valid JSON ({error}); write {forms}") from error


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise ValueError(f"'{text.strip()}' has no '='; write {_TABLE_FORMS}")
    return _plain(name.strip(), _TABLE_FORMS), _plain(value.strip(), _TABLE_FORMS)


def _plain(word: str, forms: str) -> str:
    """Return an item; brackets and quotes are a sign of a notation that is not supported."""
    if not word or _NOTATION.search(word):
        raise ValueError(f"'{word}' is not a plain item; write {forms}")
    return word


def _parse_secrets(value: object) -> object:
    """Parse the text of a list of secrets; the error does not show it."""
    try:
        return parse_list(value)
    except ValueError:
        raise ValueError(f"it is not {_LIST_FORMS}") from None


def _as_key(value: SecretStr) -> SecretStr:
    """Return a key without white space around it, as a file ends with; it may be empty."""
    text = value.get_secret_value().strip()
    if text and len(text) < KEY_CHARACTERS:
        raise ValueError(
            f"it has {len(text)} characters, and a key has at least {KEY_CHARACTERS}; "
            "`graph-memory backup key` makes one"
        )
    return SecretStr(text)


def _as_groups(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(as_group, names))


def as_group(name: str) -> str:
    """Return the name of a group unchanged.

    Raises:
        ValueError: No group can have this name.
    """
    if not GROUP_ID_PATTERN.fullmatch(name):
        raise ValueError(f"'{name}' is not a group id, which has 1 to 64 letters, digits or _")
    return name


#: Marks of a field that is a list or a table, for its type and for its source.
FromListText = BeforeValidator(parse_list)
FromTableText = BeforeValidator(parse_table)

#: A list of words.
Words = Annotated[tuple[str, ...], NoDecode, FromListText]

#: A list of groups.
Groups = Annotated[Words, AfterValidator(_as_groups)]

#: A key or passphrase for encryption, or an empty text.
EncryptionKey = Annotated[SecretStr, AfterValidator(_as_key)]

#: A list of them.
EncryptionKeys = Annotated[tuple[EncryptionKey, ...], NoDecode, BeforeValidator(_parse_secrets)]
