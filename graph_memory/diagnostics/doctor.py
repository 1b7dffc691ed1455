"""Check of everything that graph-memory needs; it starts, writes and repairs nothing."""

import asyncio
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from graph_memory import local_neo4j
from graph_memory.backup.restore import refuse_unfinished
from graph_memory.database import embedding_record, indexes, schema
from graph_memory.database.graph import Graph
from graph_memory.database.placed_graph import ServerGraph
from graph_memory.database.placement import read_placement
from graph_memory.decay.protected import count_protected
from graph_memory.errors import BackupError, GraphMemoryError
from graph_memory.inference.cross_encoder import CrossEncoder
from graph_memory.inference.embedder import Embedder
from graph_memory.settings.base import Settings

_GIBIBYTE = 2**30
_SCARCE_GIBIBYTES = 5
_TOO_FEW_GIBIBYTES = 1
_PROBE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check, and the remedy if it is not ok."""

    name: str
    status: Literal["ok", "warn", "fail"]
    detail: str
    remedy: str = ""


async def examine(settings: Settings) -> list[Check]:
    """Check folder, disk, Java, jars, database and what is in it, models and ports."""
    found = [_data_dir(settings), _disk(settings)]
    if settings.neo4j_uri is None:
        found += [_guarded("java", _java, settings), _guarded("jars", _jars, settings)]
    found += await _database(settings)
    found += await _servers(settings)
    found.append(await _model(settings))
    if settings.recall_cross_encoder:
        found.append(await _cross_encoder(settings))
    found.append(await _port("port", settings.host, settings.port))
    if settings.metrics_enabled:
        found.append(await _port("metrics port", settings.metrics_host, settings.metrics_port))
    return found


def _guarded(name: str, look: Callable[[Settings], Check], settings: Settings) -> Check:
    try:
        return look(settings)
    except GraphMemoryError as error:
        return _failed(name, error)


def _failed(name: str, error: GraphMemoryError) -> Check:
    """Return a failed check; the first sentence of the error is the fact, the rest the remedy."""
    fact, _, remedy = str(error).partition(". ")
    return Check(name, "fail", fact, remedy)


def _data_dir(settings: Settings) -> Check:
    folder = settings.data_dir.absolute()
    existing = _existing(folder)
    if not existing.is_dir():
        remedy = "Set GRAPH_MEMORY_DATA_DIR to a folder."
        return Check("data folder", "fail", f"{existing} is not a folder", remedy)
    if not os.access(existing, os.W_OK | os.X_OK):
        remedy = "Make it writable, or set GRAPH_MEMORY_DATA_DIR to another folder."
        return Check("data folder", "fail", f"{folder} cannot be written", remedy)
    secret = folder / "neo4j" / "password"
    if secret.exists() and secret.stat().st_mode & 0o077:
        return Check("data folder", "warn", f"others may read {secret}", f"chmod 600 '{secret}'")
    return Check("data folder", "ok", str(folder))


def _disk(settings: Settings) -> Check:
    free = shutil.disk_usage(_existing(settings.data_dir.absolute())).free / _GIBIBYTE
    status = "ok" if free >= _SCARCE_GIBIBYTES else "warn" if free >= _TOO_FEW_GIBIBYTES else "fail"
    remedy = "" if status == "ok" else "Free some, or set GRAPH_MEMORY_DATA_DIR to a larger disk."
    return Check("disk", status, f"{free:.1f} GiB free", remedy)


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def _java(settings: Settings) -> Check:
    java = local_neo4j.find_java(settings)
    return Check("java", "ok", f"{java.version} by {java.origin}: {java.path}")


def _jars(settings: Settings) -> Check:
    if missing := local_neo4j.missing_jars(settings):
        remedy = "Nothing to do: the first start fetches them; `graph-memory db start` does so now."
        return Check("jars", "warn", f"{missing} of Neo4j are not downloaded yet", remedy)
    return Check("jars", "ok", f"all of Neo4j {local_neo4j.NEO4J_VERSION} are downloaded")


async def _database(settings: Settings) -> list[Check]:
    uri, password = settings.neo4j_uri, None
    if uri is None:
        instance = local_neo4j.running(settings)
        if instance is None:
            remedy = "Nothing to do: it starts when needed; `graph-memory db start` keeps it up."
            return [Check("neo4j", "warn", "the local one is not running", remedy)]
        uri, password = instance.uri, instance.password
    try:
        async with Graph.open(settings, uri=uri, password=password) as graph:
            version = await schema.check_server(graph)
            found = Check("neo4j", "ok", f"{version} at {uri}")
            return [
                found,
                await _restored(graph),
                await _schema(graph, settings),
                await _vectors(graph, settings),
                await _protection(graph, settings),
            ]
    except GraphMemoryError as error:
        return [_failed("neo4j", error)]


async def _servers(settings: Settings) -> list[Check]:
    """Check the servers of the placement file, each by its name."""
    try:
        placement = read_placement(settings)
    except GraphMemoryError as error:
        return [_failed("placement", error)]
    if placement is None:
        return []
    found: list[Check] = []
    for name in placement.servers:
        try:
            async with ServerGraph.serving(name, placement, settings, None) as graph:
                version = await schema.check_server(graph)
                found.append(Check(f"server {name}", "ok", f"{version} at {graph.address}"))
                checks = (await _restored(graph), await _schema(graph, settings))
                checks += (await _vectors(graph, settings),)
                found += [replace(each, name=f"{each.name} of {name}") for each in checks]
        except GraphMemoryError as error:
            found.append(_failed(f"server {name}", error))
    return found


async def _restored(graph: Graph) -> Check:
    try:
        await refuse_unfinished(graph)
    except BackupError as error:
        return _failed("restore", error)
    return Check("restore", "ok", "none was interrupted")


async def _schema(graph: Graph, settings: Settings) -> Check:
    if missing := await indexes.missing_indexes(graph):
        remedy = "Run `graph-memory migrate up`; a new index may take a while to fill."
        return Check("schema", "fail", f"not there or not ready: {', '.join(missing)}", remedy)
    if outdated := await indexes.outdated_indexes(graph, settings):
        remedy = "Run `graph-memory migrate reindex`, or set back what was changed."
        return Check("schema", "warn", f"made with other settings: {', '.join(outdated)}", remedy)
    return Check("schema", "ok", "every index and constraint is ready")


async def _vectors(graph: Graph, settings: Settings) -> Check:
    stored = await embedding_record.stored_embedding(graph)
    configured = embedding_record.configured_embedding(settings)
    if stored is not None and stored != configured:
        return _failed("vectors", embedding_record.mismatch(stored, configured))
    return Check("vectors", "ok", f"of {configured.model}, {configured.dimensions} dimensions")


async def _protection(graph: Graph, settings: Settings) -> Check:
    found = await count_protected(graph, settings, datetime.now(UTC))
    remedy = "Check GRAPH_MEMORY_PROTECTED_TAGS, and look at `graph-memory maintain --dry-run`."
    status = "warn" if found.ended else "ok"
    return Check("protection", status, found.describe(), remedy if found.ended else "")


async def _model(settings: Settings) -> Check:
    embedder = Embedder(settings)
    try:
        await embedder.load()
    except GraphMemoryError as error:
        return _failed("model", error)
    finally:
        await embedder.close()
    return Check("model", "ok", f"{embedder.model} is loaded and embeds")


async def _cross_encoder(settings: Settings) -> Check:
    cross_encoder = CrossEncoder(settings.recall_cross_encoder)
    try:
        await cross_encoder.load()
    except GraphMemoryError as error:
        return _failed("cross-encoder", error)
    finally:
        await cross_encoder.close()
    return Check("cross-encoder", "ok", f"{cross_encoder.name} is loaded and reads")


async def _port(name: str, host: str, port: int) -> Check:
    """Check whether a port is free, without opening it; port 0 is always free."""
    address = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            _, writer = await asyncio.open_connection(address, port)
    except (OSError, TimeoutError):
        return Check(name, "ok", f"{port} is free")
    writer.close()
    variable = f"GRAPH_MEMORY_{name.replace(' ', '_').upper()}"
    remedy = f"Fine if that is graph-memory; else set {variable} to a free port."
    return Check(name, "warn", f"something listens on {port}", remedy)
