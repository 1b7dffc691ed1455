"""Tools for hooks of a harness: capture of a conversation, and memories for its context."""

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from graph_memory.api.service import GraphMemory
from graph_memory.domain.inputs import Line, Text
from graph_memory.server import parameters
from graph_memory.server.tool import SETS, WRITES, Toolset
from graph_memory.server.views.hooks import CaptureView, HookView

toolset = Toolset()

Conversation = Annotated[Line, Field(description="Id of the conversation.")]


@toolset.tool("Capture turns", SETS)
async def capture_turns(
    memory: GraphMemory,
    conversation_id: Conversation,
    turns: Annotated[
        list[Any],
        Field(
            description="Objects with content, role (user, assistant, system, tool), position and "
            "created_at; the earliest first."
        ),
        WithJsonSchema({"type": "array", "items": {"type": "object"}}),
    ],
    project_id: parameters.ProjectId = None,
    group_id: parameters.GroupId = None,
) -> CaptureView:
    """Store turns of a conversation verbatim when a hook has them; a place is captured once.

    Secrets are refused, and tool output and long code are left out. The memories fade in weeks.
    """
    captured = await memory.conversations.capture(
        conversation_id, turns, project_id=project_id, group_id=group_id
    )
    return CaptureView.of(captured)


@toolset.tool("Serve a hook", WRITES)
async def serve_hook(
    memory: GraphMemory,
    event: Annotated[Line, Field(description="Name of the event.")],
    session_id: Conversation,
    prompt: Annotated[Text | None, Field(description="Prompt of the user.")] = None,
    reply: Annotated[Text | None, Field(description="Last message of the assistant.")] = None,
    turn_id: Annotated[Text | None, Field(description="Id of the turn.")] = None,
    cwd: Annotated[Text | None, Field(description="Folder of the project, its id.")] = None,
    source: Annotated[Text | None, Field(description="Reason of a session start.")] = None,
    group_id: parameters.GroupId = None,
) -> HookView:
    """Serve an event of a harness when its hook calls; models do not call it.

    The answer is the text to add to the context, empty if no memory is relevant. Prompts and
    replies are captured.
    """
    added = await memory.conversations.serve_hook(
        event,
        session_id,
        prompt=prompt,
        reply=reply,
        turn_id=turn_id,
        project_id=cwd,
        source=source,
        group_id=group_id,
    )
    return HookView.of(event, added)
