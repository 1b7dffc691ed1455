"""The check of new texts for secrets, which are masked, refused or stored by a setting."""

from dataclasses import dataclass

from graph_memory.domain.secret_scan import find_secrets, kinds_of_secrets
from graph_memory.errors import InvalidArgumentError
from graph_memory.settings.base import Settings


@dataclass(frozen=True, slots=True)
class Screened:
    """A text to store.

    Attributes:
        text: The text; each masked secret is replaced by its kind in brackets.
        masked: The kinds of the masked secrets, each once.
    """

    text: str
    masked: tuple[str, ...] = ()


def screen(text: str, settings: Settings) -> Screened:
    """Mask the secrets of a text if the setting `secrets` is `mask`; else return it as it is."""
    if settings.secrets != "mask" or not (found := find_secrets(text)):
        return Screened(text)
    kept = text
    for each in reversed(found):
        kept = f"{kept[: each.start]}[{each.kind}]{kept[each.end :]}"
    return Screened(kept, tuple(dict.fromkeys(each.kind for each in found)))


def refusal(text: str, settings: Settings) -> InvalidArgumentError | None:
    """Return the error for a text with a secret, if the setting `secrets` is `refuse`.

    The error names the kinds of the secrets and never contains them.
    """
    if settings.secrets != "refuse" or not (kinds := kinds_of_secrets(text)):
        return None
    return InvalidArgumentError(
        "content",
        ", ".join(kinds),
        "it looks like a secret; leave it out, or set `secrets` to mask or store",
    )


def admit(text: str, settings: Settings) -> str:
    """Return a text as it is stored.

    Raises:
        InvalidArgumentError: It contains a secret, and the setting `secrets` is `refuse`.
    """
    if error := refusal(text, settings):
        raise error
    return screen(text, settings).text
