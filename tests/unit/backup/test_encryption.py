"""Encryption of files as streams: any bytes come back, and nothing that was changed does."""

import io
import secrets
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_memory.backup import encryption
from graph_memory.backup.encryption import CHUNK, HEADER, TAG, key_of, seal, unseal

KEY = key_of("a key of the tests, thirty-two characters long")
OTHER = key_of("another key of the tests, of the same length")
NAME = "graph.jsonl.gz"

#: Three chunks, of which the last is not whole.
CLEAR = secrets.token_bytes(2 * CHUNK + 100)
SEALED = seal(CLEAR, KEY, NAME)

#: The chunks of it, with the header apart.
BORDERS = [HEADER, HEADER + CHUNK + TAG, HEADER + 2 * (CHUNK + TAG), len(SEALED)]
HEAD = SEALED[:HEADER]
CHUNKS = [SEALED[begin:end] for begin, end in pairwise(BORDERS)]


@given(st.lists(st.binary(max_size=300)), st.integers(1, 500))
@settings(deadline=None)
def test_any_bytes_come_back_in_any_pieces(pieces: list[bytes], size: int) -> None:
    file = io.BytesIO()
    with encryption.encrypting(file, KEY, NAME) as stream:
        for piece in pieces:
            stream.write(piece)
    file.seek(0)
    with encryption.decrypting(file, KEY, NAME) as stream:
        found = list(iter(lambda: stream.read(size), b""))
    assert b"".join(found) == b"".join(pieces)


@pytest.mark.parametrize("chunks", [0, 1, 2, 3])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_border_of_chunks_is_not_seen_in_clear(chunks: int, more: int) -> None:
    clear = secrets.token_bytes(max(0, chunks * CHUNK + more))
    sealed = seal(clear, KEY, NAME)
    assert unseal(sealed, KEY, NAME) == clear
    whole = max(1, -(-len(clear) // CHUNK))
    assert len(sealed) == HEADER + len(clear) + whole * TAG


def test_the_same_bytes_are_encrypted_to_others_each_time() -> None:
    again = seal(CLEAR, KEY, NAME)
    assert again[HEADER : HEADER + 64] != SEALED[HEADER : HEADER + 64]
    assert CLEAR[:16] not in SEALED


def refused(sealed: bytes) -> bool:
    with pytest.raises(ValueError, match=r"does not decrypt|does not begin"):
        unseal(sealed, KEY, NAME)
    return True


def test_every_flipped_bit_of_a_small_file_is_refused() -> None:
    sealed = seal(b"kept", KEY, NAME)
    for place in range(len(sealed)):
        for bit in range(8):
            changed = bytearray(sealed)
            changed[place] ^= 1 << bit
            assert refused(bytes(changed))


def test_every_cut_of_a_small_file_is_refused() -> None:
    sealed = seal(b"kept", KEY, NAME)
    assert all(refused(sealed[:size]) for size in range(len(sealed)))


@given(st.integers(0, len(SEALED) - 1), st.integers(0, 7))
@settings(deadline=None)
def test_a_flipped_bit_is_refused(place: int, bit: int) -> None:
    changed = bytearray(SEALED)
    changed[place] ^= 1 << bit
    assert refused(bytes(changed))


@given(st.integers(0, len(SEALED) - 1) | st.sampled_from(BORDERS[:-1]))
@settings(deadline=None)
def test_a_cut_is_refused(size: int) -> None:
    assert refused(SEALED[:size])


@given(st.binary(min_size=1, max_size=40) | st.sampled_from(CHUNKS))
@settings(deadline=None)
def test_an_addition_is_refused(more: bytes) -> None:
    assert refused(SEALED + more)


@given(st.lists(st.sampled_from(range(len(CHUNKS))), max_size=5))
@settings(deadline=None)
def test_no_other_order_of_chunks_passes(order: list[int]) -> None:
    sealed = HEAD + b"".join(CHUNKS[number] for number in order)
    if order == [0, 1, 2]:
        assert unseal(sealed, KEY, NAME) == CLEAR
    else:
        assert refused(sealed)


def test_a_chunk_of_another_file_of_the_same_key_is_refused() -> None:
    other = seal(secrets.token_bytes(len(CLEAR)), KEY, NAME)
    begin, end = BORDERS[1], BORDERS[2]
    assert refused(SEALED[:begin] + other[begin:end] + SEALED[end:])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: unseal(SEALED, OTHER, NAME),
        lambda: unseal(SEALED, KEY, "memories.json"),
        lambda: unseal(b"", KEY, NAME),
        lambda: unseal(CLEAR, KEY, NAME),
    ],
    ids=["another key", "another name", "an empty file", "a file in clear"],
)
def test_the_key_and_the_name_must_be_those_of_the_file(wrong: Callable[[], bytes]) -> None:
    with pytest.raises(ValueError, match=r"has another key|does not begin"):
        wrong()


def test_a_file_is_not_complete_after_an_error() -> None:
    file = io.BytesIO()
    with suppress(RuntimeError), encryption.encrypting(file, KEY, NAME) as stream:
        stream.write(CLEAR)
        raise RuntimeError
    assert refused(file.getvalue())


def test_reading_on_after_an_error_yields_nothing() -> None:
    swapped = HEAD + CHUNKS[1] + CHUNKS[0] + CHUNKS[1] + CHUNKS[2]
    with encryption.decrypting(io.BytesIO(swapped), KEY, NAME) as stream:
        for _ in range(4):
            with pytest.raises(ValueError, match="does not decrypt"):
                stream.read(CHUNK)


def test_the_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path, piece, count = tmp_path / "file", bytes(1000), 20_000
    tracemalloc.start()
    try:
        with path.open("wb") as file, encryption.encrypting(file, KEY, NAME) as stream:
            for _ in range(count):
                stream.write(piece)
        with path.open("rb") as file, encryption.decrypting(file, KEY, NAME) as stream:
            assert sum(map(len, iter(lambda: stream.read(1000), b""))) == count * len(piece)
        assert tracemalloc.get_traced_memory()[1] < 2 * 2**20
    finally:
        tracemalloc.stop()


def test_a_key_is_the_same_for_the_same_text_and_is_not_shown() -> None:
    text = secrets.token_urlsafe(32)
    key_of.cache_clear()
    first = key_of(text)
    key_of.cache_clear()
    assert key_of(text) == first != KEY
    assert len(first.id) == 16
    assert repr(first) == f"Key(id='{first.id}')"
