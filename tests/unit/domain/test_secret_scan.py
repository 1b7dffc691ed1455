"""Secrets are recognised by their patterns; hashes, UUIDs and prose are not secrets."""

import hashlib
import importlib
import inspect
import json
import pkgutil
import re
import time
import uuid
from collections.abc import Iterator

import pytest
from detect_secrets import plugins
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.domain.secret_scan import find_secrets, kinds_of_secrets

SECRETS = {
    "-----BEGIN RSA PRIVATE KEY-----\nMII": "private key",
    "-----BEGIN OPENSSH PRIVATE KEY-----": "private key",
    "-----BEGIN DSA PRIVATE KEY-----": "private key",
    "-----BEGIN EC PRIVATE KEY-----": "private key",
    "-----BEGIN PRIVATE KEY-----": "private key",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----": "private key",
    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----": "private key",
    "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\nAAAAB3NzaC1yc2EAAA": (
        "private key"
    ),
    "the key AKIAIOSFODNN7EXAMPLE works": "AWS access key",
    f"aws_key: '{'wJalrXUt7/' * 4}'": "AWS secret key",
    f"AccountName=a;AccountKey={'aB3+' * 22};": "secret assignment",
    f"the key is AKCp{'aB3x' * 17}": "Artifactory key",
    f"AP3{'aB3x' * 8} is the password": "Artifactory key",
    f"MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.{'ZnCjm1XV' * 3}abc": "Discord token",
    f"sq0csp-{'aB3-' * 10}abc": "Square secret",
    f"the SID is AC{'a1b2' * 8}": "Twilio key",
    f"SK{'a1b2' * 8}": "Twilio key",
    f"{'a1b2' * 8}-us12": "Mailchimp key",
    f"SG.{'aB3-' * 5}ab.{'aB3_' * 10}abc": "SendGrid key",
    f"123456789:AA{'aB3-' * 8}x": "Telegram token",
    f"rk_live_{'aB3x' * 6}": "Stripe key",
    f"sk-{'aB3x' * 5}T3BlbkFJ{'aB3x' * 5}": "API key",
    f"pypi-AgEIcHlwaS5vcmc{'aB3-' * 20}": "PyPI token",
    f"pypi-AgENdGVzdC5weXBpLm9yZw{'aB3-' * 20}": "PyPI token",
    "https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/aBcDeF123456": "Slack webhook",
    "//registry.npmjs.org/:_authToken=5f1c0a8e-2b7d-4c3e-9f60-1a2b3c4d5e6f": "npm token",
    f"https://api.softlayer.com/soap/v3/{'a1b2' * 16}": "SoftLayer key",
    f"softlayer_api_key = '{'a1b2' * 16}'": "secret assignment",
    f"cloudant_apikey = '{'abcdefgh' * 3}'": "Cloudant key",
    f"cloudant_password = '{'a1b2' * 16}'": "secret assignment",
    f"https://app:{'a1b2' * 16}@app.cloudant.com": "password in a URL",
    f"https://app:{'abcdefgh' * 3}@app.cloudant.com": "password in a URL",
    f"ibm_cloud_iam_api_key = '{'aB3-' * 11}'": "secret assignment",
    f"cos_hmac_secret_access_key = '{'a1b2' * 12}'": "secret assignment",
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEX": "secret assignment",
    f"ghp_{'a1B2' * 9}": "GitHub token",
    f"github_pat_{'a1B2' * 9}": "GitHub token",
    "glpat-abcdefghij0123456789": "GitLab token",
    f"GR1348941{'aB3-' * 5}": "GitLab token",
    f"glcbt-1f_{'aB3-' * 5}": "GitLab token",
    f"glimt-{'aB3-' * 6}x": "GitLab token",
    f"glptt-{'a1b2' * 10}": "GitLab token",
    f"glagent-{'aB3-' * 13}": "GitLab token",
    f"gloas-{'a1b2' * 16}": "GitLab token",
    "xoxb-123456789012-abcdef": "Slack token",
    "sk-proj-abc123DEF456ghi789JKL": "API key",
    "sk-ant-api03-abcdefghijklmnop1": "API key",
    f"AIza{'Sy1' * 12}"[:39]: "Google API key",
    f"hf_{'aB3' * 12}": "Hugging Face token",
    f"gm_{'aB3-' * 11}": "graph-memory token",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N": "JWT",
    "postgres://app:s3cr3tpw@db.local/x": "password in a URL",
    "redis://:pa55word@cache:6379/0": "password in a URL",
    "Authorization: Bearer abcdef123456ghij": "authorization header",
    "DB_PASSWORD=correcthorse": "secret assignment",
    "first\nexport API_KEY='abc123def456'\nlast": "secret assignment",
    "PGPASSWORD=abcdefgh psql": "secret assignment",
    '"password": "hunter22!"': "secret assignment",
    'api_key = "0123456789abcdef0123456789abcdef"': "secret assignment",
    "client_secret: Zx8Qw2Er5Ty7": "secret assignment",
    "my password is hunter22": "password",
    "pay with 4111 1111 1111 1111 today": "card number",
    "card 5555-5555-5555-4444, 12/29": "card number",
    "amex: 378282246310005": "card number",
    "6011111111111117": "card number",
    "30569309025904": "card number",
    "3530111333300000": "card number",
}

#: Detectors of detect-secrets that go by entropy or by words, and that of addresses.
NOT_BY_FORM = {"high_entropy_strings", "ip_public", "keyword", "base"}

HARMLESS = (
    f"commit {hashlib.sha1(b'x', usedforsecurity=False).hexdigest()}",
    f"sha256:{hashlib.sha256(b'x').hexdigest()}",
    f"md5 {hashlib.md5(b'x', usedforsecurity=False).hexdigest()}",
    "integrity sha512-oseq+QwqbmyTcmqm1Cxf0Y1u",
    f"request {uuid.UUID(int=7)}",
    f"session_token: {uuid.UUID(int=0x550E8400E29B41D4A716446655440000)}",
    f"token_sha256 = {hashlib.sha256(b'x').hexdigest()}",
    "the token budget is 1500 tokens, and max_tokens=2000",
    'token_counter = "characters"',
    "the password is wrong",
    "the password is too short: 8 characters at least",
    "password: ${DB_PASSWORD}",
    "API_KEY=<your key>",
    "api_key=os.environ['API_KEY']",
    "password=settings.neo4j_password",
    "PASSWORD=changeme",
    "GRAPH_MEMORY_TOKEN=$TOKEN",
    "https://user@example.com/path and http://localhost:8765/mcp",
    "https://example.com:8080/a@b",
    "postgres://user:password@localhost/db",
    "sk-learn-pipeline-and-more-words",
    "Tokenizer: bert-base-uncased",
    "order 4111111111111112 has a wrong check digit",
    "at 1762345678901 milliseconds, then 1762345678901234567",
    "the ISBN is 978-3-16-148410-0",
    "4111111111111111.5 metres",
    "pi is 3.14159265358979323846",
)


@pytest.mark.parametrize(("text", "kind"), SECRETS.items(), ids=SECRETS.values())
def test_a_secret_is_recognised_wherever_it_stands(text: str, kind: str):
    assert kinds_of_secrets(text) == [kind]
    (found,) = find_secrets(f"Before.\n{text}\nAfter.")
    assert 8 <= found.start < found.end <= 8 + len(text)


def rules_of_the_scanner() -> Iterator[re.Pattern[str]]:
    for module in pkgutil.iter_modules(plugins.__path__, f"{plugins.__name__}."):
        if module.name.rpartition(".")[2] in NOT_BY_FORM:
            continue
        detectors = vars(importlib.import_module(module.name)).values()
        for detector in detectors:
            if inspect.isclass(detector) and detector.__module__ == module.name:
                yield from vars(detector).get("denylist", ())


def test_each_rule_of_a_well_kept_scanner_has_an_example():
    rules = set(rules_of_the_scanner())
    assert len(rules) > 30
    assert [rule.pattern for rule in rules if not any(map(rule.search, SECRETS))] == []


@pytest.mark.parametrize("text", HARMLESS)
def test_other_text_is_not_a_secret(text: str):
    assert kinds_of_secrets(text) == []


@pytest.mark.parametrize(
    "body",
    [
        "\n" + "MIIEvQIBADANBgkqhkiG9w0B\nAQEFAASC\n" * 3,
        "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,01AB\n\n" + "MIIEvQIBADANBgkqhkiG\n" * 3,
        "\\nMIIEvQIBADANBgkqhkiG9w0B\\nAQEFAASC\\n",
    ],
)
def test_a_private_key_is_found_with_all_its_lines(body: str):
    key = f"-----BEGIN RSA PRIVATE KEY-----{body}-----END RSA PRIVATE KEY-----"
    (found,) = find_secrets(f"Use this:\n{key}\nThanks.")
    assert f"Use this:\n{key}\nThanks."[found.start : found.end] == key


@pytest.mark.parametrize(
    "text",
    [
        'say "DB_TOKEN=abc12345"',
        "first\nAPI_KEY=abc123def456\nlast",
        'the "password is hunter22"',
        'client_secret: Zx8Qw2Er5Ty7"',
        '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B"',
    ],
)
def test_a_secret_in_json_does_not_take_escapes_with_it(text: str):
    given = json.dumps({"text": text})
    (found,) = find_secrets(given)
    kept = json.loads(f"{given[: found.start]}[{found.kind}]{given[found.end :]}")["text"]
    assert kept.endswith(text[-1])


@given(st.uuids(), st.binary(min_size=1))
def test_hashes_and_uuids_are_not_secrets(id_: uuid.UUID, data: bytes):
    digests = [hashlib.new(name, data).hexdigest() for name in ("md5", "sha1", "sha256", "sha512")]
    for value in (str(id_), id_.hex, *digests):
        for text in (value, f"see {value}.", f"id: {value}", f"commit={value}", f"/blobs/{value}"):
            assert kinds_of_secrets(text) == []


@pytest.mark.parametrize(
    "part",
    [
        "a.a",
        "eyJ-",
        "://",
        "pass",
        "SG.",
        "token: ",
        "http://a:",
        "4 1-",
        "-----BEGIN PRIVATE KEY-----",
    ],
)
def test_long_texts_are_read_in_one_pass(part: str):
    began = time.process_time()
    find_secrets(part * 50_000)
    assert time.process_time() - began < 30
