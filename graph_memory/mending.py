"""What the schema has lost is made again: an index dropped by hand, or by what failed half-way."""

from graph_memory import schema
from graph_memory.graph import Graph
from graph_memory.migrations import MIGRATIONS
from graph_memory.settings import Settings


async def mend_indexes(graph: Graph, settings: Settings) -> list[str]:
    """Make the indexes and constraints again that applied migrations made and that are gone.

    Vector indexes get the width of the vectors that are stored. Returns the names.

    Raises:
        SettingsError: The configured full-text analyser is none of Neo4j's.
    """
    applied = {s.version for s in await schema.migration_status(graph) if s.applied_at}
    made = {
        name
        for step in MIGRATIONS
        if step.version in applied
        for name in (*step.constraints, *step.indexes)
    }
    there = await schema.index_names(graph)
    gone = [name for name in await schema.missing_indexes(graph) if name in made - there]
    if gone:
        await schema.check_analyzer(graph, settings)
        if stored := await schema.stored_embedding(graph):
            settings = settings.model_copy(update={"embedding_dimensions": stored.dimensions})
        for name in gone:
            await schema.make(graph, settings, name)
        await schema.await_indexes(graph)
    return gone
