"""Sessions: the memories that conversations have loaded with `GraphMemory.retrieve`."""

import uuid

from graph_memory.context import Context
from graph_memory.domain.inputs import validate_value
from graph_memory.search.retrieval import SessionId
from graph_memory.search.session import ContextState, Session


class SessionsApi:
    """The sessions of a `GraphMemory`: `memory.sessions`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def state(
        self, session_id: str | None = None, *, reset: bool = False, group_id: str | None = None
    ) -> ContextState:
        """Return the memories that a conversation has loaded, and mark the stale ones.

        Args:
            session_id: The session of the conversation; an unknown one is empty. None for a new
                one.
            reset: True to delete the session, and return an empty one of the same id.
            group_id: The tenant.
        """
        context = self._context
        scope = context.scope(group_id)
        given = str(uuid.uuid4()) if session_id is None else session_id
        session_id = validate_value(SessionId, given, "session_id")
        session, _ = await context.session_store.read(scope, session_id)
        if reset:
            await context.session_store.forget(session_id, group_id=scope.group_id)
            session = Session(session_id)
        return session.state(context.settings.staleness_threshold)
