"""Recognition of secrets in texts by their patterns: keys, tokens, passwords, cards. No I/O.

The patterns cover the rules of the scanner detect-secrets, as a test checks. The scanner itself is
not a dependency, because its import takes a quarter of a second.

A finding names the kind of secret and its place, and never contains the secret. Hashes, UUIDs and
identifiers are not secrets, unless they are assigned to a name such as `api_key`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret in a text."""

    kind: str  #: such as `private key`
    start: int  #: offset in the text, characters
    end: int


class _Pattern(NamedTuple):
    """A pattern; its group `secret`, or else the whole match, is the secret."""

    kind: str
    expression: re.Pattern[str]
    confirms: Callable[[str], bool] = bool  #: whether the matched secret is one


def find_secrets(text: str) -> list[Finding]:
    """Return the secrets in a text, in their order; overlapping ones count once."""
    found: list[Finding] = []
    for finding in sorted(_matches(text), key=lambda f: (f.start, -f.end)):
        if not found or finding.start >= found[-1].end:
            found.append(finding)
    return found


def kinds_of_secrets(text: str) -> list[str]:
    """Return the kinds of the secrets in a text, each once, in the order of their places."""
    return list(dict.fromkeys(finding.kind for finding in find_secrets(text)))


def _matches(text: str) -> Iterator[Finding]:
    for kind, expression, confirms in _PATTERNS:
        for match in expression.finditer(text):
            group = "secret" if "secret" in expression.groupindex else 0
            if confirms(match[group]):
                yield Finding(kind, *match.span(group))


#: Values that stand for a secret in documentation and templates.
_PLACEHOLDER = re.compile(
    r"""[<\[{(*$%]                 # <password>, [secret], ${TOKEN}, $TOKEN, %TOKEN%, ***
    | x{3,} | \.{3} | …
    | (?:your|my|the|a|some|put|insert|enter|add|new|old|test|fake|dummy|sample|example)[-_ .]
    | (?:change|replace)[-_ ]?(?:me|this|it) | redacted | placeholder | example
    | none\b | null\b | nil\b | undefined\b | true\b | false\b
    | (?:secret|password|passwd|pass|token|api[-_]?key|key|user(?:name)?)$
    """,
    re.IGNORECASE | re.VERBOSE,
)

#: A value that code computes: a call, an attribute, an index.
_EXPRESSION = re.compile(r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def _is_value(value: str) -> bool:
    """Return True for a value that is neither a placeholder nor an expression nor a UUID."""
    return (
        not (_PLACEHOLDER.match(value) or _EXPRESSION.match(value) or _UUID.fullmatch(value))
        and len(set(value)) > 3
    )


def _is_mixed(value: str) -> bool:
    """Return True for a value of letters and digits, unlike a word or a number."""
    letters, digits = re.search(r"[A-Za-z]", value), re.search(r"\d", value)
    return bool(letters and digits) and _is_value(value)


def _is_random(value: str) -> bool:
    """Return True for a text with both cases or with digits, unlike a name with hyphens."""
    return bool(re.search(r"\d", value)) and bool(re.search(r"[A-Za-z]", value))


def _is_card(value: str) -> bool:
    """Return True for a number of a payment card: its issuer, its length and its check digit.

    Source: ISO/IEC 7812-1, annex B (the Luhn algorithm).
    """
    digits = [int(each) for each in value if each.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    number = "".join(map(str, digits))
    return bool(_CARD.fullmatch(number)) and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


#: The numbers of Visa, Mastercard, American Express, Discover, Diners Club and JCB.
_CARD = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"
    r"|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}"
)

#: The part of a name that shows that its value is a secret.
_NAME = (
    r"(?:pass(?:word|wd|phrase)|pwd|secret(?:[-_]?(?:access[-_]?)?key)?|api[-_]?(?:key|secret|token)"
    r"|access[-_]?(?:key|token)|auth[-_]?token|private[-_]?key|client[-_]?secret|refresh[-_]?token"
    r"|bearer[-_]?token|encryption[-_]?key|signing[-_]?key|account[-_]?key|token|credentials?)"
)

_PATTERNS: tuple[_Pattern, ...] = (
    _Pattern(  # with its lines, also where a string of a program escapes their ends
        "private key",
        re.compile(
            r"----(?:-| )BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?(?:-| )----"
            r"(?:\s*(?:(?:Proc-Type|DEK-Info|Version|Comment):[^\n]*\n\s*)*"
            r"(?:[A-Za-z0-9+/=\s]|\\[nr]){16,}"
            r"(?:----(?:-| )END [A-Z0-9 ]{1,40}(?:-| )----)?)?"
        ),
    ),
    _Pattern(
        "private key",
        re.compile(
            r"PuTTY-User-Key-File-\d: [^\s\"\\]+"
            r"(?:(?:\s|\\[nr])+(?:[A-Z][A-Za-z-]+: [^\n\"\\]+|[A-Za-z0-9+/=]{16,}))*"
        ),
    ),
    _Pattern("card number", re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)"), _is_card),
    _Pattern("AWS access key", re.compile(r"\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b")),
    _Pattern(
        "AWS secret key",
        re.compile(
            r"\baws.{0,20}?(?:key|pwd|pw|password|pass|token).{0,20}?['\"]"
            r"(?P<secret>[0-9a-zA-Z/+]{40})['\"]",
            re.I,
        ),
        _is_mixed,
    ),
    _Pattern(
        "GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})")
    ),
    _Pattern(
        "GitLab token",
        re.compile(r"\b(?:gl(?:pat|ptt|rt|dt|ft|soat|cbt|imt|agent)-|gloas-|GR1348941)[\w-]{20,}"),
    ),
    _Pattern("Slack token", re.compile(r"\bxox[abeoprs](?:\.xox[bp])?-[\w-]{10,}")),
    _Pattern(
        "Slack webhook",
        re.compile(r"https://hooks\.slack\.com/(?:services|workflows)/[A-Z0-9/]{10,}\w+"),
    ),
    _Pattern("Stripe key", re.compile(r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}")),
    _Pattern("API key", re.compile(r"\bsk-[A-Za-z0-9_-]{20,}"), _is_random),
    _Pattern("Google API key", re.compile(r"\bAIza[\w-]{35}")),
    _Pattern("Google access token", re.compile(r"\bya29\.[\w-]{20,}")),
    _Pattern("Hugging Face token", re.compile(r"\bhf_[A-Za-z0-9]{30,}")),
    _Pattern("npm token", re.compile(r"\bnpm_[A-Za-z0-9]{36}\b")),
    _Pattern("npm token", re.compile(r":_authToken=\s*(?P<secret>[\w-]{20,})"), _is_random),
    _Pattern("PyPI token", re.compile(r"\bpypi-[\w-]{50,}")),
    _Pattern("SendGrid key", re.compile(r"\bSG\.[\w-]{16,64}\.[\w-]{16,}")),
    _Pattern("DigitalOcean token", re.compile(r"\bdo[opr]_v1_[0-9a-f]{64}\b")),
    _Pattern("Telegram token", re.compile(r"\b\d{8,10}:AA[\w-]{33}\b")),
    _Pattern(
        "Discord token",
        re.compile(r"\b[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27}(?![\w-])"),
        _is_random,
    ),
    _Pattern("Twilio key", re.compile(r"\b(?:AC|SK)[a-z0-9]{32}\b"), _is_random),
    _Pattern("Mailchimp key", re.compile(r"\b[0-9a-z]{32}-us\d{1,2}\b"), _is_random),
    _Pattern("Square secret", re.compile(r"\bsq0[a-z]{3}-[\w-]{22,}")),
    _Pattern("Artifactory key", re.compile(r"\b(?:AKC|AP[\dA-F])[A-Za-z0-9]{20,}\b"), _is_random),
    _Pattern(
        "SoftLayer key",
        re.compile(r"https?://api\.softlayer\.com/soap/v3(?:\.1)?/(?P<secret>[a-z0-9]{64})", re.I),
    ),
    _Pattern(
        "Cloudant key",
        re.compile(
            r"\b(?:cloudant|clou|cl)[_-]?(?:api[_-]?)?(?:key|pwd?|password|pass|token)['\"]?"
            r"\s*(?:=|:|:=|=>)\s*['\"]?(?P<secret>[a-z]{24})\b",
            re.I,
        ),
    ),
    _Pattern("graph-memory token", re.compile(r"\bgm_[\w-]{40,}"), _is_random),
    _Pattern("JWT", re.compile(r"\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,}")),
    _Pattern(
        "password in a URL",
        re.compile(
            r"\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@'\"<>]*:(?P<secret>[^\s/@'\"<>]{3,})@", re.I
        ),
        _is_value,
    ),
    _Pattern(
        "authorization header",
        re.compile(
            r"\bauthorization\b['\"]?\s*[:=]\s*['\"]?(?:bearer|basic|token)\s+"
            r"(?P<secret>[\w.~+/=-]{8,})",
            re.I,
        ),
        _is_value,
    ),
    _Pattern(  # SECRET_KEY=value, as in .env files: any value counts
        "secret assignment",
        re.compile(
            rf"(?m)^[ \t]*(?:export[ \t]+|set[ \t]+|-e[ \t]+)?[A-Z0-9_]*{_NAME.upper()}"
            r"[ \t]*=[ \t]*['\"]?(?P<secret>[^\s'\"\\#]{6,})"
        ),
        _is_value,
    ),
    _Pattern(  # api_key = "value", "password": "value": letters and digits
        "secret assignment",
        re.compile(
            rf"(?<![\w-])[\w-]*{_NAME}['\"]?\s*(?:=|:|:=|=>)\s*['\"]?(?P<secret>[^\s'\"\\,;]{{8,}})",
            re.I,
        ),
        _is_mixed,
    ),
    _Pattern(
        "password",
        re.compile(
            r"\b(?:password|passphrase|passwd)\s+(?:is|was|=)\s+['\"`]?(?P<secret>[^\s'\"\\`,;]{6,})",
            re.I,
        ),
        _is_mixed,
    ),
)
