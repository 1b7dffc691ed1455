"""Receipts of erasures: what was erased, as keyed digests, and what each place holds after it.

A receipt contains no erased text. Digests and signature are HMAC-SHA256 with keys derived from a
secret of the database, so only that database, or a holder of its secret, can check them.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import cast

from pydantic import TypeAdapter, ValidationError

from graph_memory.errors import InvalidArgumentError

FORMAT = 1

#: Bytes of a digest: enough that no other text has the same by chance.
_DIGEST_BYTES = 16

_WORD = re.compile(r"\w+")

#: Characters of the texts whose digests are kept: of words and ids, which come again.
_KEPT = 40

#: Characters of a word that can identify a text.
LONG = 8


@dataclass(frozen=True, slots=True)
class SearchedPlace:
    """A place that was searched.

    Attributes:
        place: Name of the place.
        found: Things there that belonged to the erased, or held its words, before the erasure.
        removed: How many are gone.
        remaining: How many still hold erased words, on purpose.
        references: How many still have the id of an erased memory, and no words of it.
        why: Reason for which they remain, or what is known of a place that cannot be counted.
        until: When they go; empty if nothing remains.
        ids: Ids of what remains, the first hundred.
    """

    place: str
    found: int = 0
    removed: int = 0
    remaining: int = 0
    references: int = 0
    why: str = ""
    until: str = ""
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """A signed record of an erasure.

    Attributes:
        receipt_id: Id of the erasure.
        at: Instant of the erasure, ISO 8601, UTC.
        by: Caller, and the tool or command.
        group_id: The tenant.
        selected: How the memories were selected: memories, conversation, name, group or copies.
        memory_ids: The erased memories.
        contents: Keyed digests of the erased contents.
        words: Keyed digests of the words that only the erased memories had; of a whole group, of
            those with letters and digits.
        places: All places that were searched.
        names: For each name by which they were selected, the keyed digests of its words.
        copies: Receipts of their copies, one for each group.
        signature: HMAC-SHA256 over the other fields, in hexadecimal.
        format: Version of this form.
    """

    receipt_id: str
    at: str
    by: str
    group_id: str
    selected: str
    memory_ids: tuple[str, ...]
    contents: tuple[str, ...]
    words: tuple[str, ...]
    places: tuple[SearchedPlace, ...]
    names: tuple[tuple[str, ...], ...] = ()
    copies: "tuple[Receipt, ...]" = ()
    signature: str = ""
    format: int = field(default=FORMAT)

    @property
    def remaining(self) -> list[str]:
        """The places in which something remains."""
        return [each.place for each in self.places if each.remaining]

    def to_json(self) -> str:
        """Return the receipt as readable JSON."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"


def receipt_of(text: str) -> Receipt:
    """Read a receipt from its JSON.

    Raises:
        InvalidArgumentError: The text is not a receipt of this format.
    """
    try:
        receipt = TypeAdapter(Receipt).validate_json(text)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"]) or "the file"
        rule = f"{where} is wrong: {fault['msg']}; give the file that the erasure wrote"
        raise InvalidArgumentError("receipt", text[:80], rule) from error
    if receipt.format != FORMAT:
        raise InvalidArgumentError("receipt", receipt.format, f"this version reads {FORMAT}")
    return receipt


class Keys:
    """The keys of a database for digests and signatures, derived from its secret."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._of_digests = self._derived(b"digest")
        self._digests: dict[str, str] = {}

    def digest(self, text: str) -> str:
        """Return the keyed digest of a text, in hexadecimal; case and spaces do not count."""
        known = self._digests.get(text)
        if known is None:
            mac = hmac.digest(self._of_digests, normal(text).encode(), "sha256")
            known = mac[:_DIGEST_BYTES].hex()
            if len(text) <= _KEPT:
                self._digests[text] = known
        return known

    def digests(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return the digests of texts, each once, in an order that shows nothing."""
        return tuple(sorted({self.digest(each) for each in texts}))

    def signature(self, receipt: Receipt) -> str:
        """Return the signature of a receipt, in hexadecimal."""
        content = asdict(receipt)
        del content["signature"]
        for later in ("names", "copies"):  # receipts of earlier versions have no such fields
            if not content[later]:
                del content[later]
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hmac.new(self._derived(b"signature"), canonical.encode(), hashlib.sha256).hexdigest()

    def signed(self, receipt: Receipt) -> bool:
        """Return whether the signature of a receipt is right."""
        return hmac.compare_digest(receipt.signature, self.signature(receipt))

    def _derived(self, purpose: bytes) -> bytes:
        return hmac.digest(self._secret, purpose, "sha256")


def normal(text: str) -> str:
    """Return a text as it is compared: without differences of case and spaces."""
    return " ".join(text.casefold().split())


def words_of(text: str, shortest: int = LONG) -> set[str]:
    """Return the words of a text from a length on, in lower case."""
    return {word for word in _WORD.findall(text.casefold()) if len(word) >= shortest}


def spelled_out(text: str) -> str:
    """Return a text, with the strings of a JSON text without their escapes after it."""
    if "\\" not in text or not text.startswith(("{", "[")):
        return text
    try:
        return "\n".join((text, *_strings(json.loads(text))))
    except ValueError:
        return text


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in cast("dict[str, object]", value).items():
            yield name
            yield from _strings(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _strings(each)


def looks_random(word: str) -> bool:
    """Return whether a word has letters and digits, as passwords and identifiers do."""
    return any(each.isdigit() for each in word) and any(each.isalpha() for each in word)


def summed(places: Sequence[SearchedPlace]) -> dict[str, int]:
    """Return the totals of places: found, removed, remaining, references."""
    return {
        name: sum(getattr(each, name) for each in places)
        for name in ("found", "removed", "remaining", "references")
    }
