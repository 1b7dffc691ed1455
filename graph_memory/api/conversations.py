"""Conversations: their turns are captured, and memories are added to their context."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graph_memory.context import Context
from graph_memory.domain.inputs import Line, NewTurn, Question, validate, validate_value
from graph_memory.domain.models import Role
from graph_memory.domain.noise import is_statement
from graph_memory.domain.scope import CallScope
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories.add import check_count
from graph_memory.memories.capture import CapturedTurn, TurnStatus, capture
from graph_memory.ranking.profiles import Profile
from graph_memory.search import injection, retrieval
from graph_memory.search.budget import relevant
from graph_memory.search.injection import Injection, ItemCounter
from graph_memory.search.judgement import least_known
from graph_memory.search.retrieval import Budget, SessionId

_NOTHING = Injection("", [])

#: The events of a harness by what they mean, without hyphens, underscores and capitals.
_STARTS = ("sessionstart",)
_PROMPTS = ("userpromptsubmit", "beforesubmitprompt")
_REPLIES = ("stop", "afteragentresponse")
_FORGETS = ("precompact",)

#: Characters that an id of a turn and of a project may have.
_ID_CHARACTERS = 200

#: A field that a harness did not know.
_UNFILLED = re.compile(r"\$\{[\w.]+\}")

#: Sources of a start after which the model no longer holds what it had received.
_FORGETTING_SOURCES = ("clear", "compact")


class ConversationsApi:
    """The conversations of a `GraphMemory`: `memory.conversations`.

    The id of a conversation is also the id of its session: memories that it has received, and its
    own turns, are not added to its context again.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    async def capture(
        self,
        conversation_id: str,
        turns: Sequence[NewTurn | Mapping[str, Any]],
        *,
        project_id: str | None = None,
        group_id: str | None = None,
    ) -> list[CapturedTurn]:
        """Store the turns of a conversation verbatim, without a language model.

        A place of a conversation is captured once. Of a text that the group holds already, only the
        place is recorded. Turns with secrets are refused, and noise is left out.

        Args:
            conversation_id: The conversation.
            turns: Objects, or mappings with the fields of `NewTurn`; the earliest first.
            project_id: The project of new memories.
            group_id: The tenant.

        Returns:
            One outcome per turn, in the order given.

        Raises:
            LimitExceededError: There are more than `settings.max_batch`; none is stored.
        """
        context = self._context
        await context.require_vectors()
        check_count(turns, context.settings)
        scope = context.scope(group_id)
        conversation_id = validate_value(Line, conversation_id, "conversation_id")
        outcomes = await capture(
            context.engine,
            scope,
            conversation_id,
            [_turn(turn, position) for position, turn in enumerate(turns)],
            project_id=_project(project_id),
        )
        await self._note(scope, conversation_id, outcomes)
        return outcomes

    async def start(
        self,
        conversation_id: str,
        *,
        project_id: str | None = None,
        forget: bool = False,
        max_tokens: int | None = None,
        group_id: str | None = None,
    ) -> Injection:
        """Return a fenced text for the start of a conversation.

        It holds important memories and the latest turns of the project, as far as the conversation
        lacks them. Equal states of the group and the conversation make equal texts.

        Args:
            conversation_id: The conversation.
            project_id: The project; None for all memories of the group.
            forget: True if the model no longer holds what the conversation received before.
            max_tokens: Budget in tokens of the text; None for `settings.hook_token_budget`.
            group_id: The tenant.
        """
        context = self._context
        scope = context.scope(group_id)
        session_id = validate_value(SessionId, conversation_id, "conversation_id")
        if forget:
            await context.session_store.forget(session_id, group_id=scope.group_id)
        counter = ItemCounter(context.token_counter)
        budget = await counter.left(self._budget(max_tokens))
        if budget < 1:
            return _NOTHING
        return await injection.inject_start(
            context.engine,
            scope,
            counter,
            context.session_store,
            session_id,
            project_id=_project(project_id),
            max_tokens=budget,
        )

    async def recall(
        self,
        conversation_id: str,
        prompt: str,
        *,
        max_tokens: int | None = None,
        group_id: str | None = None,
    ) -> Injection:
        """Return a fenced text with the memories that bear on a prompt.

        It is empty if none does, for a prompt such as "go on", and for an embedding model without a
        calibration of the relevance.
        Memories that the conversation holds are left out. An access is counted to each memory whose
        relevance is at least `settings.access_min_relevance`.

        Args:
            conversation_id: The conversation.
            prompt: The prompt of the user.
            max_tokens: Budget in tokens of the text; None for `settings.hook_token_budget`.
            group_id: The tenant.
        """
        context = self._context
        await context.require_vectors()
        scope = context.scope(group_id)
        session_id = validate_value(SessionId, conversation_id, "conversation_id")
        least = least_known(context.settings)
        question = injection.question_of(prompt)
        counter = ItemCounter(context.token_counter)
        budget = await counter.left(self._budget(max_tokens))
        if least is None or budget < 1 or not is_statement(question):
            return _NOTHING
        asked = validate_value(Question, question, "prompt")
        retrieved = await retrieval.retrieve(
            await context.ranking_engine(scope.group_id, Profile.RECALL, asked),
            scope,
            counter,
            context.session_store,
            asked,
            injection.retrieval_for(session_id, budget, least),
        )
        used = context.settings.access_min_relevance
        context.count_accesses(
            scope,
            [m.memory.memory_id for m in retrieved.memories if relevant(m.relevance, used)],
        )
        return injection.inject_retrieved(prompt, retrieved.memories)

    async def serve_hook(
        self,
        event: str,
        conversation_id: str,
        *,
        prompt: str | None = None,
        reply: str | None = None,
        turn_id: str | None = None,
        project_id: str | None = None,
        source: str | None = None,
        group_id: str | None = None,
    ) -> Injection:
        """Serve an event of a harness, and return the text to add to the context.

        At the start of a session and for a prompt, memories are returned. Prompts and replies are
        captured. Before the harness shortens the context, the session forgets what it holds. Other
        events do nothing.

        Args:
            event: Name of the event, as Claude Code, Codex and Cursor spell it.
            conversation_id: The conversation.
            prompt: The prompt of the user, for its event.
            reply: The last message of the assistant, for its event.
            turn_id: Id of the turn, which a prompt and its reply share.
            project_id: The project.
            source: Reason of a start: startup, resume, clear or compact.
            group_id: The tenant.
        """
        kind = event.replace("-", "").replace("_", "").lower()
        prompt, reply = _filled(prompt), _filled(reply)
        turn_id, project_id = _as_id(turn_id), _as_id(project_id)
        added = _NOTHING
        if kind in _STARTS:
            forget = source in _FORGETTING_SOURCES
            return await self.start(
                conversation_id, project_id=project_id, forget=forget, group_id=group_id
            )
        if kind in _PROMPTS and prompt:
            added = await self.recall(conversation_id, prompt, group_id=group_id)
            await self._capture_one(
                conversation_id, prompt, Role.USER, turn_id, project_id, group_id
            )
        elif kind in _REPLIES and reply:
            await self._capture_one(
                conversation_id, reply, Role.ASSISTANT, turn_id, project_id, group_id
            )
        elif kind in _FORGETS:
            scope = self._context.scope(group_id)
            await self._context.session_store.forget(conversation_id, group_id=scope.group_id)
        return added

    async def _capture_one(
        self,
        conversation_id: str,
        content: str,
        role: Role,
        turn_id: str | None,
        project_id: str | None,
        group_id: str | None,
    ) -> None:
        position = f"{turn_id}:{role}" if turn_id else None
        turn = NewTurn(content=content, role=role, position=position)
        await self.capture(conversation_id, [turn], project_id=project_id, group_id=group_id)

    async def _note(
        self, scope: CallScope, conversation_id: str, outcomes: Sequence[CapturedTurn]
    ) -> None:
        """Note captured turns in the session, count repeated ones as used, and report new ones."""
        context = self._context
        said = {turn.memory_id: turn.content for turn in outcomes if turn.memory_id}
        contents = {id_: content for id_, content in said.items() if content}
        repeated = [t.memory_id for t in outcomes if t.status is TurnStatus.REPEATED]
        context.count_accesses(scope, [id_ for id_ in repeated if id_])
        if count := sum(turn.status is TurnStatus.STORED for turn in outcomes):
            context.on_saved(count, scope.group_id)
        if contents:
            tokens = sum(await context.token_counter.count(list(contents.values())))
            await injection.hold(
                context.engine, scope, context.session_store, conversation_id, contents, tokens
            )

    def _budget(self, max_tokens: int | None) -> int:
        if max_tokens is None:
            return self._context.settings.hook_token_budget
        return validate_value(Budget, max_tokens, "max_tokens")


def _project(given: str | None) -> str | None:
    return None if given is None else validate_value(Line, given, "project_id")


def _filled(value: str | None) -> str | None:
    """Return a value that a harness gave; None for an empty one, and for an unfilled `${field}`."""
    return None if not value or _UNFILLED.fullmatch(value) else value


def _as_id(value: str | None) -> str | None:
    """Return a value that a harness gave as an id: its end, if it is long."""
    return (_filled(value) or "").strip()[-_ID_CHARACTERS:].strip() or None


def _turn(given: object, position: int) -> NewTurn:
    """Return a checked turn; an error names its place in the list."""
    try:
        return validate(NewTurn, given)
    except InvalidArgumentError as error:
        name = f"turns.{position}.{error.argument}" if error.argument else f"turns.{position}"
        raise type(error)(name, error.value, error.expected) from error
