"""The first look at texts misses nothing that the exact comparison finds."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from graph_memory.diagnostics.traces import Digested, Plain
from graph_memory.domain.receipts import Keys

KEYS = Keys("secret")
WORD = "Straßenbahn"
CONTENT = "Café at\tsix"
NAME = ("anna", "meier")

#: Texts that hold something erased, and pieces of it.
PIECES = st.sampled_from(
    [WORD, "STRASSENBAHN", CONTENT, "CAFÉ AT SIX", "Café", "at six", "Ánna", "Meier", "\u0000"]
)
TEXTS = st.lists(
    st.lists(PIECES | st.text(max_size=12), max_size=4).map(" ".join)
    | PIECES.map(lambda text: json.dumps({"note": text})),
    max_size=5,
)

PLAIN = [Plain((), ["strassenbahn"], [CONTENT], names) for names in ([], [NAME])]
DIGESTED = [
    Digested(KEYS, (), KEYS.digests([WORD, CONTENT]), names)
    for names in ([], [tuple(map(KEYS.digest, NAME))])
]


@given(texts=TEXTS)
@example(texts=[json.dumps([CONTENT])])
@example(texts=["kept", f"he said: {CONTENT.upper()}!"])
def test_what_is_in_a_text_may_be_in_the_texts(texts: list[str]) -> None:
    for sought in (*PLAIN, *DIGESTED):
        if any(map(sought.words_in, texts)):
            assert sought.may_be_in(texts)


def test_a_first_look_leaves_out_what_holds_nothing():
    for sought in (PLAIN[0], DIGESTED[0]):
        assert not sought.may_be_in(["the depot of Olten", "opens at six", "ACTIVE"])
        assert sought.may_be_in(["the depot of Olten", f"by {WORD}"])
