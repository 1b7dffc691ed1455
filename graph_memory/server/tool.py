"""MCP tools made of functions, with checked arguments and answers of one form.

The function of a tool takes the `GraphMemory` first, then the arguments, and returns a `View` or a
`LeanView`. Its docstring is the description that an agent reads.
"""

import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, cast

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.types import CallToolResult, ContentBlock, TextContent, ToolAnnotations
from pydantic import Field
from pydantic_core import to_jsonable_python

from graph_memory import metrics
from graph_memory.api.service import GraphMemory
from graph_memory.api.types import Grant, Scope
from graph_memory.domain.inputs import validate
from graph_memory.errors import GraphMemoryError
from graph_memory.server import audit
from graph_memory.server.arguments import clamped, read
from graph_memory.server.auth import caller
from graph_memory.server.cancelling import is_connection
from graph_memory.server.ids import completed
from graph_memory.server.links import FIRST_VERSION, resource_links
from graph_memory.server.opening import Opening
from graph_memory.server.schemas import arguments_schema, listed_schema
from graph_memory.server.views.base import ErrorView, View
from graph_memory.server.views.lean import LeanView
from graph_memory.wording import Surface, Words, speaking

Function = TypeVar("Function", bound=Callable[..., Awaitable[View | LeanView]])

_log = logging.getLogger(__name__)

#: Hints for clients. Counting an access is bookkeeping, so tools that count one are reads. No tool
#: reaches beyond the memories of the server.
READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
#: Writes that change nothing more if they are repeated.
SETS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
DESTROYS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)

PAGE_URI = "ui://graph-memory/page"
#: Metadata of tools whose answers a client that supports MCP Apps can show on the page.
ON_PAGE = {"ui": {"resourceUri": PAGE_URI}}

_TENANT = {"user_context": "group_id"}

#: Codes of internal defects. Their messages go to the log and not to the client.
_DEFECTS = ("failed", "statement")
FAILED = ErrorView(
    code="failed", message="The call failed inside the server. See its log for the reason."
)


class MemoryTool(Tool):
    """A tool that calls a `GraphMemory`, once the opening in the state of the server is done.

    The tool of the SDK ignores unknown arguments, and reports invalid ones in Pydantic's words.
    """

    #: The schema of all arguments; `parameters` has the listed ones.
    arguments: dict[str, Any] = Field(default_factory=dict)
    synonyms: dict[str, str] = Field(default_factory=dict)
    alias_of: str | None = None
    scope: Scope = Scope.READ
    walks: bool = False

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> CallToolResult:
        """Check the arguments, call the function, and return the answer. Raise no exception."""
        started = time.perf_counter()
        answer = _CANCELLED  # the outcome if the caller cancels or disconnects
        called: dict[str, Any] = {}
        try:
            with speaking(Words(Surface.MCP, self.name)):
                answer = await self._answer(arguments, context, called)
            return answer
        finally:
            elapsed = time.perf_counter() - started
            metrics.tool_seconds.labels(self.name, audit.outcome(answer)).observe(elapsed)
            if self.scope is not Scope.READ:
                opening: Opening = context.request_context.lifespan_context
                of_group = "group_id" in self.arguments["properties"]
                group = opening.settings.group_id if of_group else None
                audit.record(self.name, called or arguments, answer, group)

    async def _answer(
        self, arguments: Mapping[str, Any], context: Context[Any, Any], called: dict[str, Any]
    ) -> CallToolResult:
        """Answer a call. `called` receives the arguments by name, with whole ids."""
        opening: Opening = context.request_context.lifespan_context
        try:
            grant = caller()
            grant.require(self.scope)
            async with opening.reporting_to(context):
                memory = await opening.memory()
                async with opening.turns.turn(self._tenant(grant, arguments, opening)):
                    await memory.tokens.count_call(grant, walks=self.walks)
                    acting = memory.acting_for(grant)
                    given = await self._read(acting, arguments, context)
                    called.update(given)
                    checked = validate(self.fn_metadata.arg_model, given).model_dump_one_level()
                    view: View | LeanView = await self.fn(acting, **checked)
            hint = clamped(arguments, self.arguments)
            version = context.request_context.protocol_version
            links = opening.settings.resource_links and version >= FIRST_VERSION
            answer = _answer(view, alias_of=self.alias_of, hint=hint, links=links)
            if context.headers is None:  # stdio has one client
                opening.session_id = _session(answer) or opening.session_id
            return answer
        except GraphMemoryError as error:
            return self._refused(error)
        except Exception:
            _log.exception("%s failed", self.name)
            return _answer(FAILED, is_error=True)

    def _tenant(self, grant: Grant, arguments: Mapping[str, Any], opening: Opening) -> str:
        """Return the group of a call. A call for no group of the caller counts as the caller's."""
        given = arguments.get("group_id") or arguments.get("user_context")
        try:
            return grant.group(given if isinstance(given, str) else None, opening.settings.group_id)
        except GraphMemoryError:  # the call needs no group, or it is refused in its turn
            return grant.caller

    def _with_session(
        self, arguments: Mapping[str, Any], context: Context[Any, Any]
    ) -> Mapping[str, Any]:
        """Return the arguments with the session of the transport as the default `session_id`.

        Over stdio, tools that do not list the argument take the session of the last answer.
        """
        if "session_id" not in self.arguments["properties"] or arguments.get("session_id"):
            return arguments
        given = (context.headers or {}).get(MCP_SESSION_ID_HEADER)
        given = None if is_connection(given) else given  # it may carry many conversations
        if context.headers is None and "session_id" not in self.parameters["properties"]:
            opening: Opening = context.request_context.lifespan_context
            given = opening.session_id
        return {**arguments, "session_id": given}

    async def _read(
        self, memory: GraphMemory, arguments: Mapping[str, Any], context: Context[Any, Any]
    ) -> Mapping[str, Any]:
        """Return the arguments that are given, by their names and with whole ids."""
        named = self._with_session(arguments, context)
        return await completed(memory, read(named, self.arguments, self.synonyms))

    def _refused(self, error: GraphMemoryError) -> CallToolResult:
        if error.code in _DEFECTS:
            _log.error("%s failed", self.name, exc_info=error)
            return _answer(FAILED, is_error=True)
        _log.debug("%s refused: %s", self.name, error.code)
        return refusal(error)


class Toolset:
    """The tools of a module, in the order of `tools/list`.

    A tool needs the scope of its set. In a set without a scope, a reading tool needs `read` and
    other tools need `write`.
    """

    def __init__(self, scope: Scope | None = None) -> None:
        self.tools: list[MemoryTool] = []
        self._scope = scope

    def tool(
        self,
        title: str,
        annotations: ToolAnnotations,
        *,
        synonyms: Mapping[str, str] | None = None,
        alias_of: str | None = None,
        meta: Mapping[str, Any] | None = None,
        walks: bool = False,
    ) -> Callable[[Function], Function]:
        """Register a function as a tool. The function stays callable.

        Args:
            title: Title for people.
            annotations: Hints for clients: reads, writes or destroys.
            synonyms: Further names of arguments, accepted but not published.
            alias_of: Current tool, named in each answer of a deprecated one.
            meta: Metadata for clients that sort tools.
            walks: Whether the rate limit of traversals applies.
        """

        def register(function: Function) -> Function:
            tool = cast(
                MemoryTool,
                MemoryTool.from_function(
                    function,
                    title=title,
                    description=inspect.cleandoc(function.__doc__ or ""),
                    annotations=annotations,
                    context_kwarg="memory",
                    structured_output=False,  # answers are structured; no schema is listed
                    meta=dict(meta) if meta else None,
                ),
            )
            tool.arguments = arguments_schema(tool.parameters)
            tool.parameters = listed_schema(tool.parameters)
            tool.synonyms = _TENANT | dict(synonyms or {})
            tool.alias_of = alias_of
            reading = annotations.read_only_hint
            tool.scope = self._scope or (Scope.READ if reading else Scope.WRITE)
            tool.walks = walks
            self.tools.append(tool)
            return function

        return register


def _answer(
    view: View | LeanView,
    *,
    is_error: bool = False,
    alias_of: str | None = None,
    hint: str | None = None,
    links: bool = False,
) -> CallToolResult:
    """Return a view as structured content, with its text for the agent, and links if wanted."""
    structured: dict[str, Any] | None = to_jsonable_python(view.structured())
    text = view.text()
    if hint and structured is not None:
        structured["hint"], text = hint, f"{text}\n{hint}"
    if alias_of and structured is not None:
        structured["deprecated_alias_of"] = alias_of
    content: list[ContentBlock] = [TextContent(type="text", text=text)]
    content += resource_links(structured) if links and structured else []
    return CallToolResult(
        content=content,
        structured_content=structured,
        is_error=is_error,
    )


def _session(answer: CallToolResult) -> str | None:
    """Return the id of the session of an answer, if it has one."""
    content = cast(dict[str, Any], answer.structured_content or {})
    return content.get("session_id")


def refusal(error: GraphMemoryError) -> CallToolResult:
    """Return an error as the answer of a tool."""
    return _answer(ErrorView.of(error), is_error=True)


#: The recorded outcome of a call that its caller gave up. Finished writes stay.
_CANCELLED = _answer(ErrorView(code="cancelled", message="The caller gave up."), is_error=True)
