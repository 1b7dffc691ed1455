"""Attachments as options: addresses as they are, and local files with the SHA-256 of the contents.

A command runs for the owner of the files, so it may read them. The service never does.
"""

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graph_memory.errors import InvalidArgumentError

if TYPE_CHECKING:
    from graph_memory.api.arguments import AttachmentArgument, AttachmentArguments

#: The scheme of an address. One letter is a drive of Windows.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def referred(given: Sequence[str] | None) -> "list[AttachmentArgument] | None":
    """Return the attachments of the option `--attach`; None if it is not given.

    Raises:
        InvalidArgumentError: A path is not a file that can be read.
    """
    if not given:
        return None
    return [each if _SCHEME.match(each) else _file(each) for each in given]


def _file(path: str) -> "AttachmentArguments":
    """Return the address and the SHA-256 of a local file."""
    file = Path(os.path.abspath(Path(path).expanduser()))
    if file.is_dir():
        raise _refusal(path, "it is a folder; attach its files one by one")
    if not file.is_file():
        raise _refusal(path, "the file does not exist; give a path or an absolute URI")
    try:
        with file.open("rb") as contents:
            digest = hashlib.file_digest(contents, "sha256").hexdigest()
    except OSError as error:
        raise _refusal(path, f"it cannot be read ({error.strerror})") from error
    return {"uri": file.as_uri(), "sha256": digest}


def _refusal(path: str, expected: str) -> InvalidArgumentError:
    return InvalidArgumentError("attachments", path, expected)
