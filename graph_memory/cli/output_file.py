"""Output files: checked before the work, and replaced atomically after it."""

import os
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from graph_memory.errors import InvalidArgumentError

#: A new file is private, because it holds memories.
_PRIVATE = 0o600


def require_writable(file: Path, option: str) -> None:
    """Raise if a file cannot be written, before the work starts.

    Raises:
        InvalidArgumentError: The path is a folder, has no folder, or has no write permission.
    """
    place = Path(os.path.realpath(file))
    if file.is_dir():
        raise InvalidArgumentError(option, str(file), "it is a folder; name a file")
    if not file.exists() and not place.parent.is_dir():
        raise InvalidArgumentError(option, str(file), "its folder does not exist; create it first")
    if not os.access(place.parent if _replaceable(file) else file, os.W_OK):
        raise InvalidArgumentError(option, str(file), "no permission to write; choose another file")


def require_drawable(plot: Path | None) -> None:
    """Raise if a plot cannot be written to a path. None passes.

    Raises:
        InvalidArgumentError: The suffix is not a known format, or the file cannot be written.
    """
    if plot is not None:
        from graph_memory.reporting.plots import require_format

        require_format(plot, "--plot")
        require_writable(plot, "--plot")


@contextmanager
def replacing(file: Path) -> Generator[Path]:
    """Yield a temporary path that replaces `file` when the block ends without an error.

    The mode is kept, and a link stays a link. A device or pipe is written directly.
    """
    try:
        if _replaceable(file):
            with _beside(Path(os.path.realpath(file)), file.suffix) as partial:
                yield partial
        else:
            yield file
    except OSError as error:  # name the file that the caller knows
        raise OSError(error.errno, error.strerror, str(file)) from error


def _replaceable(file: Path) -> bool:
    return file.is_file() or not file.exists()


@contextmanager
def _beside(place: Path, suffix: str) -> Generator[Path]:
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else _PRIVATE
    descriptor, name = tempfile.mkstemp(suffix, ".graph-memory-", place.parent)
    os.close(descriptor)
    partial = Path(name)
    try:
        yield partial
        partial.chmod(mode)
        partial.replace(place)
    finally:
        partial.unlink(missing_ok=True)
