"""The rewrite of backups without what was erased with a receipt."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from graph_memory.backup import archives
from graph_memory.backup.archives import RewrittenBackup
from graph_memory.context import Context
from graph_memory.diagnostics.erasure import keys_of
from graph_memory.diagnostics.traces import Digested
from graph_memory.domain.receipts import Keys, Receipt, receipt_of


async def rewrite_backups(context: Context) -> list[RewrittenBackup]:
    """Rewrite all backups without the memories, words and names erased with a receipt."""
    keys = await keys_of(context.graph)
    records = await context.graph.rows("diagnostics/erasure_backups/records", str)
    receipts = [receipt_of(each) for each in records]
    erased = {each for receipt in receipts for each in receipt.memory_ids}

    def texts(held: Collection[str]) -> _Texts:
        """Return the texts of the receipts of a backup, which has memories of each."""
        return _Texts(
            keys, [each for each in receipts if not set(held).isdisjoint(each.memory_ids)]
        )

    return [
        await asyncio.to_thread(archives.rewrite, backup, erased, texts)
        for backup in archives.backups(context.settings)
    ]


class _Texts:
    """The erased words, contents and names of receipts, by group."""

    def __init__(self, keys: Keys, receipts: Sequence[Receipt]) -> None:
        self._all = _by_group(keys, receipts, words=True)
        self._names = _by_group(keys, receipts, words=False)

    def held(self, group_id: str, text: str) -> bool:
        """Return whether a text of a group holds something erased."""
        return _found(self._all, group_id, text)

    def named(self, group_id: str, text: str) -> bool:
        """Return whether a text of a group holds an erased name."""
        return _found(self._names, group_id, text)


def _by_group(keys: Keys, receipts: Iterable[Receipt], *, words: bool) -> dict[str, Digested]:
    digests: defaultdict[str, set[str]] = defaultdict(set)
    names: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for each in receipts:
        names[each.group_id].update(each.names)
        if words:
            digests[each.group_id].update(each.contents, each.words)
    return {group: Digested(keys, (), digests[group], names[group]) for group in names}


def _found(sought: Mapping[str, Digested], group_id: str, text: str) -> bool:
    return group_id in sought and bool(sought[group_id].words_in(text))
