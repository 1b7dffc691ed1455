"""Errors of calls that the server refuses: by tool, token, limit or lack of a confirmation."""

from graph_memory.errors.base import GraphMemoryError
from graph_memory.wording import argument, operation, shown


class UnknownToolError(GraphMemoryError):
    """The server has no tool of this name, or its toolset is off."""

    code = "unknown_tool"

    def __init__(self, name: str, remedy: str) -> None:
        """Build the message from the name and a sentence on what to do."""
        self.name = name
        super().__init__(f"No tool {shown(name)}. {remedy}")


class ForbiddenError(GraphMemoryError):
    """The caller's token does not allow the call; nothing was done."""

    code = "forbidden"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"Not allowed: {reason}. {operation('token_create')} makes a token that allows it; ask "
            "the operator of the service."
        )


class RateLimitedError(GraphMemoryError):
    """The token has used up its calls of this minute; the call can be repeated later."""

    code = "rate_limited"

    def __init__(self, limit: int, seconds: int) -> None:
        self.limit, self.seconds = limit, seconds
        super().__init__(f"More than {limit} calls in this minute. Try again in {seconds} s.")


class TooManyCallsError(GraphMemoryError):
    """The server is busy with other calls; nothing was done, and the call can be repeated later."""

    code = "overloaded"

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(
            f"The server is busy: the call has waited {seconds} s for other calls. "
            f"Nothing was done. Try again in {seconds} s."
        )


class TokenNotFoundError(GraphMemoryError):
    """The token does not exist, or it is revoked."""

    code = "not_found"

    def __init__(self, token_id: str) -> None:
        self.token_id = token_id
        super().__init__(f"No valid token {shown(token_id)}; {operation('token_list')} lists them.")


class ConfirmationRequiredError(GraphMemoryError):
    """A destructive call lacks its confirmation."""

    code = "confirmation_required"

    def __init__(self, action: str, confirmation: str) -> None:
        self.action, self.confirmation = action, confirmation
        needed = argument("confirm", confirmation)
        super().__init__(f"{action} needs {needed}. Nothing was changed.")
