"""Types of settings: spans of time, fractions, lists written as text."""

import re
from typing import Annotated

from pydantic import BeforeValidator, Field
from pydantic_settings import NoDecode

_SEPARATORS = re.compile(r"[,\s]+")

#: A century in days; a longer span would leave the calendar.
CENTURY = 36_500.0

#: A span in days, more than none.
Days = Annotated[float, Field(ge=0.001, le=CENTURY)]

#: A span in days, possibly none.
Span = Annotated[float, Field(ge=0, le=CENTURY)]

#: A half-life in days, possibly infinite.
HalfLife = Annotated[float, Field(ge=0.001, allow_inf_nan=True)]

Fraction = Annotated[float, Field(ge=0, le=1)]


def split_words(value: object) -> object:
    """Return a text split at commas and white space; leave any other value."""
    if isinstance(value, str):
        return tuple(word for word in _SEPARATORS.split(value) if word)
    return value


def split_numbers(value: object) -> object:
    """Return the numbers of a text, split at commas and white space; leave any other value."""
    if isinstance(value, str):
        return tuple(float(word) for word in _SEPARATORS.split(value.strip()))
    return value


#: A list of words; in the environment a text with commas or spaces between the words.
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(split_words)]

#: Numbers of the environment are a text with commas or spaces between them.
SplitNumbers = BeforeValidator(split_numbers)
