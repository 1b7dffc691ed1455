"""Grants: the scope, the groups and the authority of a caller."""

from dataclasses import dataclass
from enum import StrEnum

from graph_memory.domain.origin import LOCAL, Authority
from graph_memory.errors import ForbiddenError, InvalidArgumentError


class Scope(StrEnum):
    """A level of access; each includes the ones before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def includes(self, other: "Scope") -> bool:
        """Check whether this scope includes the other."""
        ranks = list(Scope)
        return ranks.index(self) >= ranks.index(other)


@dataclass(frozen=True, slots=True)
class Grant:
    """The scope, the groups and the authority of a caller."""

    caller: str
    scope: Scope
    groups: tuple[str, ...] | None  #: None for all groups
    #: The authority of the texts that the caller writes; None for that of the way in.
    authority: Authority | None = None
    origin_id: str | None = None  #: the import that the caller carries out

    def require(self, scope: Scope) -> None:
        """Check that the grant includes a scope.

        Raises:
            ForbiddenError: It does not; the message names the required scope.
        """
        if not self.scope.includes(scope):
            raise ForbiddenError(f"it needs scope '{scope}', and this token has '{self.scope}'")

    def require_every_group(self, what: str) -> None:
        """Check that the grant is for all groups; `what` names the action in the message.

        Raises:
            ForbiddenError: The grant is for some groups only.
        """
        if self.groups is not None:
            raise ForbiddenError(f"{what} needs a token for all groups")

    def group(self, given: str | None, default: str) -> str:
        """Return the group to use: the given one, the default, or the only one of the grant.

        Raises:
            ForbiddenError: The grant does not include the group.
            InvalidArgumentError: No group is given, and the grant has several.
        """
        if self.groups is None:
            return given or default
        names = ", ".join(self.groups)
        if given is None and default not in self.groups:
            if len(self.groups) != 1:
                raise InvalidArgumentError("group_id", None, f"name one of {names}")
            return next(iter(self.groups))
        if (group := given or default) not in self.groups:
            raise ForbiddenError(f"group '{group}' is not open to this token, which is for {names}")
        return group


#: The grant of local callers: they can reach the database or this process without a token.
EVERYTHING = Grant(LOCAL, Scope.ADMIN, None)
