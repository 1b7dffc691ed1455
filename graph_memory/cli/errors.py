"""Errors in the words of the command line: options instead of arguments, commands for tools."""

import inspect
from collections.abc import Callable
from typing import Any, get_args

import typer

from graph_memory.errors import InvalidArgumentError
from graph_memory.wording import Surface, Words


def words_of(name: str, function: Callable[..., Any]) -> Words:
    """Return the words of a command: the options in place of the arguments of its function."""
    return Words(Surface.CLI, f"graph-memory {name}", _options(function))


def in_options(error: InvalidArgumentError, words: Words) -> InvalidArgumentError:
    """Return an error that names the option of a command in place of the argument."""
    name = error.argument.partition(".")[0]
    option = words.options.get(name)
    if option is None:
        return error
    # Other subclasses differ only in their code, or add values.
    error.args = InvalidArgumentError(option, error.value, error.expected).args
    if error.value is None:  # a command line cannot say None
        error.args = (f"{option} is not given: {error.expected}.",)
    elif error.value is True:  # a flag has no value
        error.args = (f"{option} is not allowed: {error.expected}.",)
    error.argument = option
    return error


def _options(function: Callable[..., Any]) -> dict[str, str]:
    """Return the option or argument of a command for each parameter of its function."""
    return {
        name: _spelled(name, get_args(parameter.annotation)[1:])
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items()
    }


def _spelled(name: str, metadata: tuple[Any, ...]) -> str:
    given = metadata[0] if metadata else None
    if isinstance(given, typer.models.ArgumentInfo):
        return given.metavar or name.upper()
    # In an `Annotated`, Typer takes the first name for the default.
    names = (getattr(given, "default", None), *(getattr(given, "param_decls", None) or ()))
    declared = [each for each in names if isinstance(each, str) and each.startswith("--")]
    return declared[0] if declared else f"--{name.replace('_', '-')}"
