"""The values of options, without an import of the modules that check them.

A test compares them with the types of the domain.
"""

TYPES = (
    "general",
    "fact",
    "preference",
    "conversation",
    "task",
    "ephemeral",
    "concept",
    "procedure",
    "context",
)
STATES = ("ACTIVE", "DORMANT", "ARCHIVED", "EXPIRED", "SOFT_DELETED")
RELATION_TYPES = (
    "references",
    "contradicts",
    "supports",
    "extends",
    "causes",
    "caused_by",
    "precedes",
    "follows",
    "part_of",
    "contains",
    "relates_to",
    "depends_on",
    "leads_to",
    "supersedes",
)
POLICIES = ("adaptive", "half_life", "none", "typed_importance")
PROFILES = ("recall", "weighted", "hybrid")
SORTS = ("importance", "created_at")
RESULT_ORDERS = ("score", "time")
ALGORITHMS = ("bfs", "dfs")
DIRECTIONS = ("out", "in", "both")
RESOLUTIONS = ("newer", "stronger")
STAGES = (
    "protection",
    "decay",
    "compress",
    "confidence",
    "classification",
    "embeddings",
    "entities",
    "slots",
    "proposals",
    "strengths",
    "centrality",
    "clusters",
    "weights",
    "briefs",
    "purge",
    "sessions",
    "records",
)
GROUP_SETTINGS = ("single_valued_slots",)
SLOTS = (
    "address",
    "age",
    "birthday",
    "email",
    "favorite_color",
    "lives_in",
    "manager",
    "married_to",
    "name",
    "phone",
    "studies_at",
    "timezone",
    "works_as",
    "works_at",
)
PROPOSAL_KINDS = ("relates_to", "duplicate_of", "contradicts", "supersedes", "same_as")
WRITE_KINDS = ("add", "update", "episode")
ENTITY_KINDS = ("name", "mail", "url", "path", "identifier", "code", "date")
PROPOSAL_STATUSES = ("open", "accepted", "rejected")
SCOPES = ("read", "write", "admin")
AUTHORITIES = ("person", "agent", "tool", "import", "derived")
EPISODE_SOURCES = ("text", "message", "json")
JOB_STATUSES = ("queued", "running", "done", "failed")
DATA_FORMS = ("own", "locomo", "longmemeval", "beam", "devmembench", "precisionmembench")
CLEARABLE = (
    "confidence",
    "project_id",
    "parent_id",
    "title",
    "decay_policy",
    "decay_rate",
    "tags",
    "metadata",
    "attachments",
)
ON_TAKEN = ("rename", "refuse")
STORES = (
    "mcp-memory",
    "mcp-ai-memory",
    "doobidoo",
    "basic-memory",
    "mem0",
    "forgetful",
    "longterm-memory",
)


def listed(values: tuple[str, ...]) -> str:
    """Return values as the help of an option lists them: `a, b or c`."""
    return f"{', '.join(values[:-1])} or {values[-1]}"
