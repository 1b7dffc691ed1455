"""Attachments of every legal kind."""

import string

from hypothesis import strategies as st

_LEGAL = string.ascii_letters + string.digits + "-._~!$&'()*+,;=:@/?#%[]äß茶é"

_STARTS = ("https://example.com/", "file:///", "s3://bucket/", "urn:", "x-y.z+1:a")
_ENDINGS = ("", ".png", ".PY", ".tar.gz", ".md", ".cpp", ".unknown", "?a=b.py", "/")

uris = st.builds(
    "{}{}{}".format,
    st.sampled_from(_STARTS),
    st.text(_LEGAL, min_size=1, max_size=60),
    st.sampled_from(_ENDINGS),
)
_titles = (
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=256)
    .map(str.strip)
    .filter(bool)
)

#: The fields of one attachment, as JSON has them.
fields = st.fixed_dictionaries(
    {"uri": uris},
    optional={
        "media_type": st.sampled_from(["image/png", "text/x-c++", "application/vnd.a.b+json"]),
        "title": _titles,
        "sha256": st.text("0123456789abcdef", min_size=64, max_size=64),
        "language": st.sampled_from(["python", "c++", "objective-c"]),
    },
)

#: The attachments of a memory, as many as there may be.
attachments = st.lists(fields, max_size=20, unique_by=lambda each: each["uri"])
