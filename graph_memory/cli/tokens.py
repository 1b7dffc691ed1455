"""Commands for access tokens."""

from typing import Annotated

import typer

from graph_memory.cli.command import command, note, opened, request
from graph_memory.cli.completion import complete_groups, completing
from graph_memory.cli.output import as_mapping, show, show_fields
from graph_memory.cli.values import AUTHORITIES, SCOPES, listed

app = typer.Typer(no_args_is_help=True, help="Manage the tokens for access over HTTP.")

TokenId = Annotated[str, typer.Argument(help="Id of the token, from `token list`.")]

_EVERY_GROUP = "*"


@command(app, example="token create ci --scope read --days 30")
async def create(
    name: Annotated[str, typer.Argument(help="Name of the caller, written to the audit log.")],
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            help="Tenant ids between commas, or * for all; default: the group.",
            autocompletion=complete_groups,
        ),
    ] = None,
    scope: Annotated[
        str,
        typer.Option(
            help=f"Scope: {listed(SCOPES)}; each includes the previous ones.",
            autocompletion=completing(SCOPES),
        ),
    ] = "write",
    authority: Annotated[
        str,
        typer.Option(
            help=f"Authority of what it writes: {listed(AUTHORITIES)}.",
            autocompletion=completing(AUTHORITIES),
        ),
    ] = "agent",
    days: Annotated[
        float | None, typer.Option(help="Validity in days; default: unlimited.")
    ] = None,
) -> None:
    """Create a token, and print it once."""
    from graph_memory.api.types import Scope
    from graph_memory.domain.inputs import validate
    from graph_memory.domain.origin import Authority

    async with opened() as memory:
        token, secret = await memory.tokens.create(
            name,
            groups=_named(memory.group(None) if groups is None else groups),
            scope=validate(Scope, scope, "--scope"),
            authority=validate(Authority, authority, "--authority"),
            days=days,
        )
    _print_token(token, secret)


@command(app, "list", example="token list")
async def list_tokens() -> None:
    """List the tokens, without their secrets."""
    async with opened() as memory:
        found = await memory.tokens.list()
    columns = ("id", "name", "scope", "groups", "authority", "created", "expires", "revoked")
    rows = (
        (
            t.token_id,
            t.name,
            t.scope,
            ",".join(t.groups or (_EVERY_GROUP,)),
            t.authority,
            t.created_at,
            t.expires_at,
            t.revoked_at,
        )
        for t in found
    )
    show({"tokens": found}, columns, rows)


@command(app, example="token revoke TOKEN_ID")
async def revoke(token_id: TokenId) -> None:
    """Revoke a token permanently."""
    async with opened() as memory:
        token = await memory.tokens.revoke(token_id)
    show_fields(as_mapping(token))


@command(app, example="token rotate TOKEN_ID")
async def rotate(token_id: TokenId) -> None:
    """Replace the secret of a token, and print it once. The old secret becomes invalid."""
    async with opened() as memory:
        token, secret = await memory.tokens.rotate(token_id)
    _print_token(token, secret)


def _named(groups: str) -> tuple[str, ...] | None:
    return None if groups == _EVERY_GROUP else tuple(groups.replace(",", " ").split())


def _print_token(token: object, secret: str) -> None:
    if not request().as_json:
        note("Save the token now: it is printed only once, and not stored.")
    show_fields({"token": secret, **as_mapping(token)})
