"""Attachments: files, images and code that a memory refers to by their addresses. No I/O.

Only the address is stored. Nothing here or elsewhere in the service opens it.
"""

import json
import mimetypes
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Annotated, ClassVar, cast
from urllib.parse import SplitResult, urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

MAX_ATTACHMENTS = 20

MEDIA_TYPE = r"^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$"
SHA256 = r"^[0-9a-f]{64}$"
LANGUAGE = r"^[a-z0-9][a-z0-9+#._-]{0,31}$"

#: A scheme and something after it. One letter is a drive of Windows.
_ABSOLUTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):.")
_NO_ADDRESS = frozenset('<>"\\^`{|}')
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

#: Schemes that are refused, with the reason.
_REFUSED = {
    **dict.fromkeys(("data", "blob"), "contents are not stored; give the address of the file"),
    **dict.fromkeys(("javascript", "vbscript"), "it would run code; give the address of a file"),
}
_WITH_HOST = ("http", "https", "ftp", "s3")

#: Languages of code by the ending of a file.
_LANGUAGES = {
    ".c": "c",
    ".cpp": "c++",
    ".cs": "csharp",
    ".cypher": "cypher",
    ".go": "go",
    ".h": "c",
    ".hpp": "c++",
    ".java": "java",
    ".js": "javascript",
    ".jsx": "javascript",
    ".kt": "kotlin",
    ".lua": "lua",
    ".mjs": "javascript",
    ".php": "php",
    ".pl": "perl",
    ".py": "python",
    ".r": "r",
    ".rb": "ruby",
    ".rs": "rust",
    ".scala": "scala",
    ".sh": "shell",
    ".sql": "sql",
    ".swift": "swift",
    ".ts": "typescript",
    ".tsx": "typescript",
}


def _address(uri: str) -> str:
    """Check that a text is an absolute address of something outside the graph."""
    found = _ABSOLUTE.match(uri)
    if found is None:
        raise PydanticCustomError(
            "uri",
            "it must be an absolute address, for example https://example.com/plan.pdf or "
            "file:///home/ada/plan.pdf",
        )
    scheme = found[1].lower()
    if scheme in _REFUSED:
        raise PydanticCustomError("uri", "{reason}", {"reason": _REFUSED[scheme]})
    for position, character in enumerate(uri):
        if character == " " or not character.isprintable() or character in _NO_ADDRESS:
            raise PydanticCustomError(
                "uri",
                "character {position} may not stand in an address; write it as %XX",
                {"position": position},
            )
    _check_parts(uri, scheme)
    return uri


def _check_parts(uri: str, scheme: str) -> None:
    """Check the host of an address, and that it holds no password."""
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise PydanticCustomError(
            "uri", "it is not an address ({reason})", {"reason": str(error)}
        ) from error
    if scheme in _WITH_HOST and not parts.netloc:
        raise PydanticCustomError("uri", "it lacks a host, as in https://example.com/plan.pdf")
    if parts.password is not None:
        raise PydanticCustomError("uri", "it holds a password; give the address without it")


def _one_line(text: str) -> str:
    if not text:
        raise PydanticCustomError("blank", "it must contain more than white space")
    if found := _CONTROL.search(text):
        raise PydanticCustomError(
            "control",
            "character {position} is a control character; write the title in one line",
            {"position": found.start()},
        )
    return text


def _lower(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


def _as_fields(value: object) -> object:
    """Return a text, which is an address alone, as the fields of an attachment."""
    return {"uri": value} if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file, an image or a piece of code that a memory refers to; the service never opens it.

    Attributes:
        uri: An absolute address of at most 2,048 characters, with any scheme but `data`.
        media_type: Its type and subtype, as image/png; None to derive it from the ending.
        title: A caption of one line and at most 256 characters.
        sha256: SHA-256 of the contents, 64 hexadecimal digits.
        language: Language of code, as python; None to derive it from the ending.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", revalidate_instances="always"
    )

    uri: Annotated[
        str,
        StringConstraints(strip_whitespace=True, max_length=2048),
        AfterValidator(_address),
    ]
    media_type: Annotated[str, BeforeValidator(_lower), Field(pattern=MEDIA_TYPE)] | None = None
    title: (
        Annotated[
            str,
            StringConstraints(strip_whitespace=True, max_length=256),
            AfterValidator(_one_line),
        ]
        | None
    ) = None
    sha256: Annotated[str, BeforeValidator(_lower), Field(pattern=SHA256)] | None = None
    language: Annotated[str, BeforeValidator(_lower), Field(pattern=LANGUAGE)] | None = None

    @property
    def name(self) -> str:
        """The title, or else the last part of the path, or else the whole address."""
        return self.title or posixpath.basename(_parts(self).path) or self.uri


def attachment_fields(attachment: Attachment) -> dict[str, str]:
    """Return the fields that an attachment has, without nulls."""
    return {name: value for name, value in asdict(attachment).items() if value is not None}


def stored_fields(stored: object) -> list[dict[str, str]]:
    """Return the fields of each attachment that a stored text holds."""
    return [attachment_fields(each) for each in attachments_of(stored)]


def attachments_json(attachments: Iterable[Attachment]) -> str | None:
    """Return attachments as JSON text, with media types and languages derived; None for none."""
    given = [attachment_fields(completed(each)) for each in attachments]
    return json.dumps(given, ensure_ascii=False) if given else None


def attachments_of(stored: object) -> tuple[Attachment, ...]:
    """Return the attachments that a stored text holds.

    An entry that another client of the database has damaged is left out.
    """
    if isinstance(stored, tuple):
        return cast(tuple[Attachment, ...], stored)
    entries = _entries(stored) if stored else []
    return tuple(each for entry in entries if (each := _readable(entry)))


def completed(attachment: Attachment) -> Attachment:
    """Return an attachment with its media type and language, as far as its ending shows them."""
    ending = posixpath.splitext(_parts(attachment).path)[1].lower()
    media_type, language = attachment.media_type, attachment.language
    if media_type is None or media_type.startswith("text/"):
        language = language or _LANGUAGES.get(ending)
    return replace(
        attachment,
        media_type=media_type or _media_type(attachment, _LANGUAGES.get(ending)),
        language=language,
    )


def _media_type(attachment: Attachment, language: str | None) -> str | None:
    if language:
        return "text/javascript" if language == "javascript" else f"text/x-{language}"
    guess, encoding = _table().guess_type(f"./{posixpath.basename(_parts(attachment).path)}")
    return None if encoding else guess


@cache
def _table() -> mimetypes.MimeTypes:
    """Return the table of Python alone: those of machines differ."""
    return mimetypes.MimeTypes()


def _parts(attachment: Attachment) -> SplitResult:
    return urlsplit(attachment.uri)


def _entries(stored: object) -> list[object]:
    try:
        read = json.loads(cast(str, stored))
    except (TypeError, ValueError, RecursionError):
        return []
    return cast(list[object], read) if isinstance(read, list) else []


def _readable(entry: object) -> Attachment | None:
    try:
        return _adapter().validate_python(entry) if isinstance(entry, Mapping) else None
    except ValidationError:
        return None


@cache
def _adapter() -> TypeAdapter[Attachment]:
    return TypeAdapter(Attachment)


def _once(attachments: tuple[Attachment, ...]) -> tuple[Attachment, ...]:
    """Refuse two attachments with the same address."""
    seen = set[str]()
    for each in attachments:
        if each.uri in seen:
            raise PydanticCustomError(
                "repeated", "the address {uri} occurs twice; give it once", {"uri": each.uri}
            )
        seen.add(each.uri)
    return attachments


#: The attachments of a memory as an argument; a text is an address.
Attachments = Annotated[
    tuple[Annotated[Attachment, BeforeValidator(_as_fields)], ...],
    Field(max_length=MAX_ATTACHMENTS),
    AfterValidator(_once),
]

#: The attachments of a memory as the database holds them. A plain validator would lose the schema
#: by which they are serialized.
StoredAttachments = Annotated[
    tuple[Attachment, ...], WrapValidator(lambda stored, _: attachments_of(stored))
]
