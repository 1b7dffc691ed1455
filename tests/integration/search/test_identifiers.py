"""Names, identifiers and phrases are found as they are spelt, in any script, without a model."""

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.ranking.terms import content_words, term_queries

#: A question about each thing, a memory that mentions it, and one that mentions a near miss.
THINGS = [
    ("Where is user_id checked?", "The gate checks user_id.", "The gate checks the id of a user."),
    ("What does GRAPH_MEMORY_PORT do?", "GRAPH_MEMORY_PORT is 8765.", "The port is 8765."),
    ("What changed in v1.2.3?", "v1.2.3 mends the cache.", "v1.2.4 mends the cache."),
    ("Who met O'Brien?", "Ada met O’Brien at noon.", "Ada met Brian at noon."),
    ("What is in src/app/main.py?", "src/app/main.py starts it.", "app/src/main.py starts it."),
    ("Who is ada@example.com?", "ada@example.com writes docs.", "bob@example.com writes docs."),
    ("What is https://example.com/a-b?", "Read https://example.com/a-b.", "Read example.com/b-a."),
    ("Who plays GPT-4?", "GPT-4 plays chess.", "GPT-3 plays chess."),
    ('Who said "leave it as it is"?', "Bo said: leave it as it is!", "Bo said: it is as I leave."),
    ("What costs 1,250.50?", "The desk costs 1,250.50 euros.", "The desk costs 1,250 euros."),
]

#: Texts of which the full-text index must contain every word that the search looks up.
TEXTS = [
    *(thing[1] for thing in THINGS),
    "They've said that it's Bob's and y'all don't mind.",
    "Version 3.11, build 7a, at 10:30 for 1.000,50 in U.S. dollars: foo:bar a.b1 x_1.y",
    "Die Straßenbahn fährt übermorgen nach Köln.",
    "L'été dernier, j'ai visité l'Île-de-France.",
    "我住在柏林，我的猫叫小花。",
    "東京タワーは333メートルです。",
    "أسكن في برلين مع قطتي",
    "मैं दिल्ली में रहता हूँ",
    "나는 베를린에 살아요",
    "Я живу в Берлине",
    "ฉันอยู่ที่เบอร์ลิน",
    "naïve café, na\u0308ive",
]

#: A memory, a question in its language, and a memory of the same language about something else.
LANGUAGES = [
    ("Meine Katze heißt Minka.", "Wie heißt meine Katze?", "Der Zug fährt um neun Uhr."),
    ("Mon chat s'appelle Minou.", "Comment s'appelle mon chat ?", "Le train part à neuf heures."),
    ("我的猫叫小花。", "我的猫叫什么？", "火车九点出发。"),
    ("قطتي اسمها ميمي", "ما اسم قطتي؟", "القطار يغادر في التاسعة"),
]


@pytest.mark.parametrize(("question", "content", "near"), THINGS)
async def test_a_thing_is_found_as_it_is_spelt(
    memory: GraphMemory, question: str, content: str, near: str
) -> None:
    await memory.add_many([{"content": near}, {"content": content}])
    found = await memory.search(question)
    assert found[0].memory.content == content


@pytest.mark.parametrize("text", TEXTS)
async def test_every_word_looked_up_is_a_term_of_the_index(
    memory: GraphMemory, driver: AsyncDriver, group: str, text: str
) -> None:
    added = await memory.add(text)
    terms = list(dict.fromkeys(word.term for word in content_words(text, "english")))
    find = """
    UNWIND range(0, size($lookups) - 1) AS i
    CALL db.index.fulltext.queryNodes('memory_text_idx', $lookups[i]) YIELD node
    WHERE node.uuid = $id
    RETURN collect(i) AS found
    """
    lookups = term_queries(terms, group)
    row = await driver.execute_query(find, lookups=lookups, id=added.memory_id)
    (found,) = row.records
    assert [terms[i] for i in found["found"]] == terms


@pytest.mark.parametrize(("content", "question", "other"), LANGUAGES)
async def test_questions_in_other_languages_find_their_memory(
    memory: GraphMemory, content: str, question: str, other: str
) -> None:
    await memory.add_many([{"content": other}, {"content": content}])
    found = await memory.search(question)
    assert found[0].memory.content == content
