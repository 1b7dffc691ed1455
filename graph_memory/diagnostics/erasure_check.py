"""The check of a receipt: its signature, and a new search for what was erased."""

import asyncio
import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graph_memory.backup import archives
from graph_memory.backup.files import BackupReader
from graph_memory.context import Context
from graph_memory.diagnostics import erasure_copies
from graph_memory.diagnostics.erasure import all_keys, signing
from graph_memory.diagnostics.traces import Digested, Plain, Sought, find_traces, matched
from graph_memory.domain.receipts import Keys, Receipt, words_of
from graph_memory.errors import BackupError, InvalidArgumentError
from graph_memory.wording import argument

#: Places that keep ids of erased memories, and are no finding.
_WITH_IDS = {
    "sessions",
    "feedback",
    "records for undo",
    "records of learning",
    "conversations",
    "tombstones",
}

#: Bytes of a file that are looked at together for zeros.
_BLOCK = 2**20


@dataclass(frozen=True, slots=True)
class Finding:
    """Something erased that a search found again.

    Attributes:
        place: Place in the graph, backup, or file.
        id: Id of the memory or record, or the byte in a file at which it begins.
        what: Properties that hold it.
        on_receipt: Whether something remains in this place by the receipt.
    """

    place: str
    id: str
    what: str
    on_receipt: bool


@dataclass(frozen=True, slots=True)
class VerifiedErasure:
    """The result of the check of a receipt.

    Attributes:
        receipt_id: The receipt.
        signed: Whether the signature is of this database and fits the receipt.
        searched: The places that were searched.
        findings: What was found.
    """

    receipt_id: str
    signed: bool
    searched: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def clean(self) -> bool:
        """Return True if the signature is right and nothing was found."""
        return self.signed and not self.findings


async def verify(
    context: Context, receipt: Receipt, words: Sequence[str] = (), store: Path | None = None
) -> VerifiedErasure:
    """Check a receipt, and search the graph, the backups and the files of a database again.

    The receipts of copies in it are checked as well.

    Args:
        context: Databases, settings and grant.
        receipt: The receipt.
        words: Erased words in clear, which are searched for besides the digests.
        store: Folder with the files of a database; only `words` are searched there.

    Raises:
        InvalidArgumentError: `store` is not a folder, or is given without words.
    """
    _check_store(words, store)
    signed, searched, found = await _checked(context.of(receipt.group_id), receipt, words)
    copies = await erasure_copies.of_memories(context, receipt.group_id, receipt.memory_ids)
    found += [(erasure_copies.PLACE, str(each), "id") for each in copies]
    if store:
        searched.append(str(store))
        found += await asyncio.to_thread(lambda: list(_in_files(store, words)))
    remaining = {each.place for each in receipt.places if each.remaining}
    findings = [
        Finding(place, named, what, place in remaining)
        for place, named, what in dict.fromkeys(found)
    ]
    for copied in receipt.copies:
        of_copy = await verify(context, copied, words)
        signed = signed and of_copy.signed
        searched += [f"{each} (group {copied.group_id})" for each in of_copy.searched]
        findings += [
            replace(each, place=f"{each.place} (group {copied.group_id})")
            for each in of_copy.findings
        ]
    return VerifiedErasure(receipt.receipt_id, signed, tuple(searched), tuple(findings))


async def _checked(
    context: Context, receipt: Receipt, words: Sequence[str]
) -> tuple[bool, list[str], list[tuple[str, str, str]]]:
    """Return whether a receipt is signed, the places searched, and what the search found."""
    keys = signing(await all_keys(context.graph), receipt)
    sought = _sought(keys, receipt, words)
    found = await _in_graph(context, receipt, sought)
    searched = ["graph"]
    for backup in archives.backups(context.settings):
        searched.append(f"backup {backup.path.name}")
        found += await asyncio.to_thread(_in_backup, backup, receipt.group_id, sought)
    return keys.signed(receipt), searched, found


def _sought(keys: Keys, receipt: Receipt, words: Sequence[str]) -> list[Sought]:
    """Return what is searched for: the digests of a receipt, and words in clear."""
    digests = {*receipt.contents, *receipt.words}
    given = {word for each in words for word in words_of(each, 1)}
    sought: list[Sought] = [Digested(keys, receipt.memory_ids, digests, receipt.names)]
    return [*sought, Plain((), given, ())] if given else sought


async def _in_graph(
    context: Context, receipt: Receipt, sought: Sequence[Sought]
) -> list[tuple[str, str, str]]:
    """Search the graph; an id alone counts only where no id is to remain."""
    return [
        (trace.place, trace.id, ", ".join(sorted(trace.keys)) or "id")
        for each in sought
        for trace in await find_traces(context.graph, receipt.group_id, each)
        if trace.keys or trace.place not in _WITH_IDS
    ]


def _in_backup(
    backup: BackupReader, group_id: str, sought: Sequence[Sought]
) -> list[tuple[str, str, str]]:
    """Search what a backup holds of a group for erased memories and words."""
    place = f"backup {backup.path.name}"
    try:
        return [
            (place, named, key)
            for named, key, text in archives.texts_of(backup, group_id)
            if any(
                (key == "uuid" and text in each.ids) or matched([(key, text)], each)[0]
                for each in sought
            )
        ]
    except BackupError as error:
        return [(place, "", f"cannot be read: {error}")]


def _check_store(words: Sequence[str], store: Path | None) -> None:
    if store is None:
        return
    if not store.is_dir():
        raise InvalidArgumentError("store", str(store), "it is not a folder")
    if not words:
        rule = f"give the erased words with {argument('text')}; digests cannot be found in files"
        raise InvalidArgumentError("store", str(store), rule)


def _in_files(store: Path, words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Search the bytes of all files in a folder for words, in the encodings of Neo4j."""
    wanted = [(word, word.encode(code)) for word in words for code in ("utf-8", "utf-16-le")]
    for path in sorted(each for each in store.rglob("*") if each.is_file()):
        if not path.stat().st_size:
            continue
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held:
            end = _end(held)
            for word, code in wanted:
                if (place := held.find(code, 0, end)) >= 0:
                    yield str(path.relative_to(store)), f"byte {place}", word


def _end(held: mmap.mmap) -> int:
    """Return the end of a file without its last blocks of zeros.

    Neo4j enlarges a file before it has data for it.
    """
    end = len(held)
    while end > _BLOCK and not held[end - _BLOCK : end].rstrip(b"\0"):
        end -= _BLOCK
    return min(end + 1, len(held))  # a zero may be the second byte of a character
