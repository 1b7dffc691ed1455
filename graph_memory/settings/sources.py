"""Sources of settings, and the errors for malformed, unknown or misspelt ones.

Error messages show values, except secrets and addresses that contain one.
"""

import difflib
import logging
import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, InitSettingsSource

from graph_memory.errors import SettingsError

PREFIX = "GRAPH_MEMORY_"
_FILE = f"{PREFIX}CONFIG"

#: Variables with our prefix that are not settings: the file, and options of the tests.
_OTHERS = (_FILE, f"{PREFIX}TEST_")

#: Variables that the command `hook` reads, which reads no settings.
_OF_HOOKS = (f"{PREFIX}URL", f"{PREFIX}TOKEN", f"{PREFIX}HOOK_SECONDS")

#: Settings of earlier versions, and what replaces them. They have no effect.
_REPLACED = {
    "feedback_max_shift": 'learn = ["weights"]',
    "feedback_rate": 'learn = ["weights"]',
}

_log = logging.getLogger(__name__)


def file_source(settings: type[BaseSettings]) -> InitSettingsSource | None:
    """Read the file that GRAPH_MEMORY_CONFIG names; return None if the variable is unset.

    Raises:
        SettingsError: The file cannot be read, is not valid TOML, or has an unknown key.
    """
    path = os.environ.get(_FILE)
    if not path:
        return None
    if not Path(path).is_file():
        raise SettingsError(f"{_FILE}={path} is not a file; correct or unset it.")
    try:
        read = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"{_FILE}={path} is not valid TOML ({error}); correct or unset it."
        ) from error
    for key in sorted(read.keys() & _REPLACED.keys()):
        _log.warning("'%s' in %s has no effect any more; use %s.", key, path, _REPLACED[key])
        del read[key]
    for key in read:
        if key not in settings.model_fields:
            raise SettingsError(
                f"'{key}' in {path} is not a setting{_nearest(key, settings.model_fields)}. "
                "Correct or remove it; config/graph-memory.toml lists all settings."
            )
    return InitSettingsSource(settings, read)


def warn_of_misspelt(settings: type[BaseSettings]) -> None:
    """Log a warning for each variable with our prefix that is not a setting."""
    known = [*_OF_HOOKS, *map(_variable, settings.model_fields)]
    for name in os.environ:
        given = name.upper()
        if given.startswith(PREFIX) and not given.startswith(_OTHERS) and given not in known:
            _log.warning("%s is not a setting%s; it is ignored.", name, _nearest(name, known))


def malformed(
    error: ValidationError, settings: type[BaseSettings], overrides: Mapping[str, Any]
) -> SettingsError:
    """Return an error that names each malformed setting, its value and its range."""
    problems = [_problem(detail, settings, overrides) for detail in error.errors()]
    return SettingsError(f"Settings are malformed: {'; '.join(problems)}. Correct or unset them.")


def _problem(
    detail: ErrorDetails, settings: type[BaseSettings], overrides: Mapping[str, Any]
) -> str:
    problem = detail["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    if not detail["loc"]:
        return problem
    name, *inner = (str(part) for part in detail["loc"])
    if name not in settings.model_fields:
        return f"'{name}' is not a setting{_nearest(name, settings.model_fields)}"
    value = f"{detail['input']!r:.80}"
    secret = _is_secret(settings.model_fields[name].annotation) or "@" in value
    shown = "".join(f"[{part}]" for part in inner) + ("" if secret else f"={value}")
    set_here = name in overrides or _variable(name) in (each.upper() for each in os.environ)
    where = "" if set_here else f" in {os.environ.get(_FILE)}"
    return f"{_variable(name)}{shown}{where}: {problem[:1].lower()}{problem[1:]}"


def _is_secret(annotation: object) -> bool:
    """Return whether a type is that of secrets, or of a list of them."""
    return annotation is SecretStr or any(map(_is_secret, get_args(annotation)))


def _variable(name: str) -> str:
    return f"{PREFIX}{name.upper()}"


def _nearest(name: str, known: Iterable[str]) -> str:
    by_lower = {each.lower(): each for each in known}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f"; did you mean {by_lower[found[0]]}?" if found else ""
