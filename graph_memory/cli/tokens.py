"""Commands on the tokens that let callers in."""

from typing import Annotated

import typer

from graph_memory.cli.command import command, note, opened, request
from graph_memory.cli.output import as_mapping, show, show_fields

app = typer.Typer(no_args_is_help=True, help="Who may call the service over HTTP.")

TokenId = Annotated[str, typer.Argument(help="Id of the token; `token list` names it.")]

_EVERY_GROUP = "*"


@command(app)
async def create(
    name: Annotated[str, typer.Argument(help="Whose it is; it stands in the audit log.")],
    groups: Annotated[
        str | None,
        typer.Option("--groups", help="Tenants, with commas; * is all. By default the group."),
    ] = None,
    scope: Annotated[
        str, typer.Option(help="read, write or admin; each includes those before it.")
    ] = "write",
    days: Annotated[float | None, typer.Option(help="How long it is valid.")] = None,
) -> None:
    """Make a token, and show it this once."""
    from graph_memory.api.types import Scope
    from graph_memory.domain.inputs import validate

    async with opened() as memory:
        token, secret = await memory.tokens.create(
            name,
            groups=_named(groups or memory.group(None)),
            scope=validate(Scope, scope, "--scope"),
            days=days,
        )
    _tell(token, secret)


@command(app, "list")
async def list_tokens() -> None:
    """List the tokens, without their secrets."""
    async with opened() as memory:
        found = await memory.tokens.list()
    columns = ("id", "name", "scope", "groups", "created", "expires", "revoked")
    rows = (
        (
            t.token_id,
            t.name,
            t.scope,
            ",".join(t.groups or (_EVERY_GROUP,)),
            t.created_at,
            t.expires_at,
            t.revoked_at,
        )
        for t in found
    )
    show({"tokens": found}, columns, rows)


@command(app)
async def revoke(token_id: TokenId) -> None:
    """Make a token invalid, for good."""
    async with opened() as memory:
        token = await memory.tokens.revoke(token_id)
    show_fields(as_mapping(token))


@command(app)
async def rotate(token_id: TokenId) -> None:
    """Give a token another secret, and show it this once; the one before is invalid."""
    async with opened() as memory:
        token, secret = await memory.tokens.rotate(token_id)
    _tell(token, secret)


def _named(groups: str) -> tuple[str, ...] | None:
    return None if groups == _EVERY_GROUP else tuple(groups.replace(",", " ").split())


def _tell(token: object, secret: str) -> None:
    if not request().as_json:
        note("Keep it now: it is shown this once, and stored nowhere.")
    show_fields({"token": secret, **as_mapping(token)})
