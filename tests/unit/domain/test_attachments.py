"""Attachments: what is accepted, what is derived from an address, and what is read back."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from graph_memory import Attachment, MemoryChanges, NewMemory
from graph_memory.domain.attachments import (
    attachment_fields,
    attachments_json,
    attachments_of,
    completed,
)
from graph_memory.domain.inputs import validate
from graph_memory.errors import InvalidArgumentError, LimitExceededError
from tests.support.attachments import attachments


def checked(*given: Any) -> tuple[Attachment, ...]:
    return validate(NewMemory, {"content": "tea", "attachments": given}).attachments


@pytest.mark.parametrize(
    "uri",
    [
        "https://example.com/plan.pdf?version=2#page=3",
        "HTTPS://ada@example.com:8443/茶.png",
        "file:///home/ada/plan.pdf",
        "s3://bucket/key",
        "urn:isbn:9780141036144",
        "mailto:ada@example.com",
        "https://[2001:db8::1]/a",
        "https://example.com/" + "x" * 2028,
    ],
)
def test_an_absolute_address_is_accepted(uri: str) -> None:
    assert checked(uri) == checked({"uri": uri}) == checked(Attachment(uri)) == (Attachment(uri),)
    assert checked(f" {uri}\n") == (Attachment(uri),)


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("", "an absolute address"),
        ("plan.pdf", "an absolute address"),
        ("//example.com/plan.pdf", "an absolute address"),
        ("C:/plan.pdf", "an absolute address"),
        ("https:", "an absolute address"),
        ("https:plan.pdf", "lacks a host"),
        ("DATA:image/png;base64,AA==", "contents are not stored"),
        ("blob:https://example.com/1", "contents are not stored"),
        ("JavaScript:alert(1)", "would run code"),
        ("https://example.com/a b", "character 21 may not stand"),
        ("https://example.com/a\nb", "character 21 may not stand"),
        ("https://example.com/\u202ea", "character 20 may not stand"),
        ("https://example.com/\ud800", "."),
        ("https://example.com/<a>", "character 20 may not stand"),
        ("https://ada:secret@example.com/", "holds a password"),
        ("https://[1/", "is not an address"),
    ],
)
def test_any_other_address_is_refused_with_a_reason(uri: str, reason: str) -> None:
    with pytest.raises(InvalidArgumentError, match=reason) as error:
        checked("https://example.com/", uri)
    assert error.value.argument == "attachments.1.uri"


def test_lengths_and_numbers_are_limited() -> None:
    many = [f"s3://bucket/{number}" for number in range(21)]
    assert len(checked(*many[:20])) == 20
    with pytest.raises(LimitExceededError, match="at most 20 items, and has 21"):
        checked(*many)
    with pytest.raises(LimitExceededError, match=r"attachments\.0\.uri.* at most 2048 characters"):
        checked("https://example.com/" + "x" * 2029)
    with pytest.raises(LimitExceededError, match=r"attachments\.0\.title.* at most 256"):
        validate(MemoryChanges, {"attachments": [{"uri": "s3://a/b", "title": "x" * 257}]})
    with pytest.raises(InvalidArgumentError, match="s3://a/b occurs twice"):
        checked("s3://a/b", {"uri": "s3://a/b", "title": "again"})


def test_the_case_of_types_digests_and_languages_does_not_matter() -> None:
    (attachment,) = checked(
        {"uri": "s3://a/b", "media_type": " Image/PNG", "sha256": "AB" * 32, "language": "C++"}
    )
    assert attachment == Attachment("s3://a/b", "image/png", None, "ab" * 32, "c++")


@pytest.mark.parametrize(
    ("given", "media_type", "language"),
    [
        (Attachment("https://example.com/plan.PNG?size=2"), "image/png", None),
        (Attachment("file:///a/tap.py#L10"), "text/x-python", "python"),
        (Attachment("file:///a/app.js"), "text/javascript", "javascript"),
        (Attachment("s3://a/main.ts"), "text/x-typescript", "typescript"),
        (Attachment("file:///a/tap.py", "text/plain"), "text/plain", "python"),
        (Attachment("file:///a/tap.py", "image/png"), "image/png", None),
        (Attachment("file:///a/tap", language="rust"), None, "rust"),
        (Attachment("https://example.com/a.tar.gz"), None, None),
        (Attachment("https://example.com/"), None, None),
        (Attachment("https://example.com"), None, None),
        (Attachment("urn:isbn:9780141036144"), None, None),
    ],
)
def test_types_and_languages_are_derived_from_the_ending(
    given: Attachment, media_type: str | None, language: str | None
) -> None:
    found = completed(given)
    assert (found.media_type, found.language) == (media_type, language)
    assert completed(found) == found


def test_the_name_is_the_title_or_a_part_of_the_address() -> None:
    names = (
        Attachment("https://example.com/a/plan.png?x=1", title="Plan").name,
        Attachment("https://example.com/a/plan.png?x=1").name,
        Attachment("https://example.com/").name,
    )
    assert names == ("Plan", "plan.png", "https://example.com/")


@given(attachments)
@settings(deadline=None)
def test_what_is_stored_is_read_as_it_was(given: list[dict[str, str]]) -> None:
    whole = tuple(map(completed, checked(*given)))
    stored = attachments_json(checked(*given))
    assert attachments_of(stored) == whole
    assert attachments_json(whole) == stored
    assert (stored is None) is not bool(given)
    for before, after in zip(given, map(attachment_fields, whole), strict=True):
        assert before.items() <= after.items()


@pytest.mark.parametrize("stored", [None, "", 5, "[", "{}", "[5]", '["s3://a/b"]', ["s3://a/b"]])
def test_what_another_client_damaged_is_read_as_nothing(stored: object) -> None:
    assert attachments_of(stored) == ()


def test_an_illegal_entry_does_not_hide_the_others() -> None:
    stored = [{"uri": "data:,x"}, {"uri": "s3://a/b", "size": 3}, {"uri": "s3://a/c"}]
    assert attachments_of(json.dumps(stored)) == (Attachment("s3://a/c"),)
