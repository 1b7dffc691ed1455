"""auth.grants."""

from dataclasses import dataclass
from enum import StrEnum

from graph_memory.errors import ForbiddenError, InvalidArgumentError


class Scope(StrEnum):
    """What a caller may do; each includes those before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def includes(self, other: "Scope") -> bool:
        """Tell whether whoever has this scope has the other."""
        ranks = list(Scope)
        return ranks.index(self) >= ranks.index(other)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a caller may do, and in which groups."""

    caller: str
    scope: Scope
    groups: tuple[str, ...] | None  #: None: all

    def require(self, scope: Scope) -> None:
        """Refuse a caller who does not have a scope.

        Raises:
            ForbiddenError: It says which scope is needed.
        """
        if not self.scope.includes(scope):
            raise ForbiddenError(f"it needs scope '{scope}', and this token has '{self.scope}'")

    def require_every_group(self, what: str) -> None:
        """Refuse what would tell a caller about other tenants.

        Raises:
            ForbiddenError: The caller is for some groups only.
        """
        if self.groups is not None:
            raise ForbiddenError(f"{what} needs a token for all groups")

    def group(self, given: str | None, default: str) -> str:
        """Return the group to use: the given one, the default, or the only one there is.

        Raises:
            ForbiddenError: The group is not among the caller's.
            InvalidArgumentError: None is given, and the caller has several.
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


#: Whoever may reach the database, or this process, anyway.
EVERYTHING = Grant("local", Scope.ADMIN, None)
