"""The rewrite of backups without what was erased with a receipt."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from graph_memory.backup import archives
from graph_memory.backup.archives import RewrittenBackup
from graph_memory.context import Context
from graph_memory.diagnostics.erasure import all_keys, signing
from graph_memory.diagnostics.traces import Digested
from graph_memory.domain.receipts import Keys, Receipt, receipt_of

#: A receipt, and the keys of its digests.
_Keyed = tuple[Keys, Receipt]


async def rewrite_backups(
    context: Context, servers: Sequence[Context] = ()
) -> list[RewrittenBackup]:
    """Rewrite all backups without the memories, words and names erased with a receipt.

    What killed backups have left is removed.

    Args:
        context: A server, whose backups are rewritten.
        servers: The servers of the service. A group that was moved has receipts on all its servers,
            and what it has erased since stands in backups of the earlier ones.
    """
    found = [one for each in servers or [context] for one in await _receipts(each)]
    receipts = list({receipt.receipt_id: (keys, receipt) for keys, receipt in found}.values())
    erased = {each for _, receipt in receipts for each in receipt.memory_ids}

    def texts(held: Collection[str]) -> _Texts:
        """Return the texts of the receipts of a backup, which has memories of each."""
        return _Texts([each for each in receipts if not set(held).isdisjoint(each[1].memory_ids)])

    await asyncio.to_thread(archives.remove_abandoned, context.settings)
    return [
        await asyncio.to_thread(archives.rewrite, backup, erased, texts)
        for backup in archives.backups(context.settings)
    ]


async def _receipts(context: Context) -> list[_Keyed]:
    records = await context.graph.rows("diagnostics/erasure_backups/records", str)
    keys = await all_keys(context.graph)
    return [(signing(keys, each), each) for each in map(receipt_of, records)]


class _Texts:
    """The erased words, contents and names of receipts, by group."""

    def __init__(self, receipts: Sequence[_Keyed]) -> None:
        self._all = _by_group(receipts, words=True)
        self._names = _by_group(receipts, words=False)

    def held(self, group_id: str, text: str) -> bool:
        """Return whether a text of a group holds something erased."""
        return _found(self._all, group_id, text)

    def named(self, group_id: str, text: str) -> bool:
        """Return whether a text of a group holds an erased name."""
        return _found(self._names, group_id, text)


def _by_group(receipts: Iterable[_Keyed], *, words: bool) -> dict[str, list[Digested]]:
    """Return what is searched for in the texts of each group, by the keys of its digests."""
    digests: defaultdict[tuple[str, Keys], set[str]] = defaultdict(set)
    names: defaultdict[tuple[str, Keys], set[tuple[str, ...]]] = defaultdict(set)
    for keys, each in receipts:
        names[each.group_id, keys].update(each.names)
        if words:
            digests[each.group_id, keys].update(each.contents, each.words)
    found: defaultdict[str, list[Digested]] = defaultdict(list)
    for group, keys in names:
        found[group].append(Digested(keys, (), digests[group, keys], names[group, keys]))
    return found


def _found(sought: Mapping[str, Sequence[Digested]], group_id: str, text: str) -> bool:
    return any(each.words_in(text) for each in sought.get(group_id, ()))
