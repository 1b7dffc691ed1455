"""The placement file: which Neo4j server has which groups.

A group is whole on one server. The first rule that matches its id decides; without a rule it is on
`home`, the configured database.
"""

import hashlib
import os
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from graph_memory.database.graph import HOME
from graph_memory.errors import SettingsError
from graph_memory.settings.base import Settings
from graph_memory.settings.hosts import Neo4jUri

_REMEDY = "Correct the file; docs/guides/placement.md describes it."

#: Bits of the hash of a group id that a float holds exactly.
_HASH_BITS = 53

ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]

#: A group id, or a pattern with `*`, `?` and `[...]`.
GroupPattern = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_*?\[\]!-]{1,128}$")]


def _ascending(given: tuple[float, float]) -> tuple[float, float]:
    if given[0] >= given[1]:
        raise ValueError("the first number must be below the second")
    return given


Share = Annotated[float, Field(ge=0, le=1)]
HashRange = Annotated[tuple[Share, Share], AfterValidator(_ascending)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Server(_Strict):
    """A server of the placement file."""

    neo4j_uri: Neo4jUri
    neo4j_user: str = "neo4j"
    neo4j_database: str = "neo4j"
    neo4j_password: SecretStr = SecretStr("")
    neo4j_password_env: str | None = None  #: name of the variable with the password

    @model_validator(mode="after")
    def _has_its_password(self) -> Self:
        if self.neo4j_password_env is None:
            return self
        if self.neo4j_password.get_secret_value():
            raise ValueError("give neo4j_password or neo4j_password_env, not both")
        if self.neo4j_password_env not in os.environ:
            raise ValueError(f"the variable {self.neo4j_password_env} of its password is not set")
        return self

    def over(self, settings: Settings, name: str) -> Settings:
        """Return the settings of the service with this connection, and a backup folder of its own.

        Args:
            settings: The settings of the service.
            name: Name of the server, which is also the name of its folder.
        """
        given = self.neo4j_password
        if self.neo4j_password_env:
            given = SecretStr(os.environ[self.neo4j_password_env])
        own = {
            "neo4j_uri": self.neo4j_uri,
            "neo4j_user": self.neo4j_user,
            "neo4j_password": given,
            "neo4j_database": self.neo4j_database,
            "backup_path": settings.backup_folder / name,
        }
        return settings.model_copy(update=own)


class Rule(_Strict):
    """A rule: the groups of a server, by name or pattern, by hash, or by both at once."""

    server: ServerName
    groups: tuple[GroupPattern, ...] = ()
    hash: HashRange | None = None

    @model_validator(mode="after")
    def _chooses(self) -> Self:
        if not self.groups and self.hash is None:
            raise ValueError("give groups or hash")
        return self

    def matches(self, group_id: str) -> bool:
        """Return whether the rule places a group."""
        if self.groups and not any(fnmatchcase(group_id, each) for each in self.groups):
            return False
        return self.hash is None or self.hash[0] <= hash_of(group_id) < self.hash[1]


class _File(_Strict):
    servers: dict[ServerName, Server] = Field(default_factory=dict[str, Server])
    rules: tuple[Rule, ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if HOME in self.servers:
            raise ValueError(f"servers.{HOME} is the configured database, and cannot be given")
        known = [HOME, *self.servers]
        for number, rule in enumerate(self.rules):
            if rule.server not in known:
                raise ValueError(
                    f"rules[{number}].server='{rule.server}' is not among the servers "
                    f"{', '.join(known)}"
                )
        return self


@dataclass(frozen=True, slots=True)
class GroupPlace:
    """The server of a group, and the rule that places it there, unless a move decides."""

    group_id: str
    server: str
    hash: float  #: of the group id, from 0 to below 1
    rule: str | None  #: the rule as in the file, with its number; None without a rule
    move: str | None = None  #: the move that decides in place of the rules; None without one


@dataclass(frozen=True, slots=True)
class Placement:
    """The servers and rules of a placement file."""

    path: Path
    servers: dict[str, Server]
    rules: tuple[Rule, ...]

    def server_of(self, group_id: str) -> str:
        """Return the name of the server that has a group."""
        return next((each.server for each in self.rules if each.matches(group_id)), HOME)

    def explain(self, group_id: str) -> GroupPlace:
        """Return the server of a group with the rule that places it there."""
        for number, rule in enumerate(self.rules, start=1):
            if rule.matches(group_id):
                return GroupPlace(group_id, rule.server, hash_of(group_id), _shown(number, rule))
        return GroupPlace(group_id, HOME, hash_of(group_id), None)


def hash_of(group_id: str) -> float:
    """Return the hash of a group id, from 0 to below 1; it is the same in every process."""
    digest = hashlib.sha256(group_id.encode()).digest()
    return (int.from_bytes(digest[:8]) >> (64 - _HASH_BITS)) / 2**_HASH_BITS


def read_placement(settings: Settings) -> Placement | None:
    """Read the placement file; return None if the settings name none.

    Raises:
        SettingsError: The file cannot be read, or a key or value of it is malformed.
    """
    path = settings.placement_file
    if path is None:
        return None
    try:
        found = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SettingsError(
            f"GRAPH_MEMORY_PLACEMENT_FILE={path} cannot be read ({error.strerror}). "
            "Correct or unset it."
        ) from error
    except ValidationError as error:
        problems = "; ".join(map(_problem, error.errors(include_input=True)))
        raise SettingsError(f"The placement file {path} is malformed: {problems}. {_REMEDY}") from (
            error
        )
    except ValueError as error:
        raise SettingsError(
            f"The placement file {path} is not valid TOML ({error}). {_REMEDY}"
        ) from error
    _refuse_twice(path, found, settings)
    return Placement(path, found.servers, found.rules)


def _refuse_twice(path: Path, found: _File, settings: Settings) -> None:
    """Raise `SettingsError` if two servers are the same database."""
    places = {(settings.neo4j_uri, settings.neo4j_database): HOME}
    for name, server in found.servers.items():
        place = server.neo4j_uri, server.neo4j_database
        if place in places:
            raise SettingsError(
                f"The placement file {path} is malformed: servers.{name} is the database of "
                f"{places[place]}, '{server.neo4j_database}' at {server.neo4j_uri}. {_REMEDY}"
            )
        places[place] = name


def _problem(detail: ErrorDetails) -> str:
    """Return the key, the value unless it is a secret, and the rule of a malformed entry."""
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"])
    message = detail["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    if detail["type"] == "extra_forbidden":
        message = "this key is unknown"
    shown = f"={detail['input']!r:.80}"
    value = "" if _is_table(detail["input"]) or "password" in place or "@" in shown else shown
    return f"{place.removeprefix('.')}{value}: {message}" if place else message


def _is_table(value: Any) -> bool:
    """Return whether a value is a table, which may hold a password."""
    return isinstance(value, dict | BaseModel)


def _shown(number: int, rule: Rule) -> str:
    parts = [f"groups {', '.join(rule.groups)}"] if rule.groups else []
    if rule.hash is not None:
        parts.append(f"hash from {rule.hash[0]:g} to below {rule.hash[1]:g}")
    return f"rule {number}: {' and '.join(parts)}"
