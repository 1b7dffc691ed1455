"""Five generated kinds of text with questions and their evidence, for floors of recall."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from graph_memory.evaluation.dataset import Evaluation, EvaluationMemory, EvaluationQuestion

_NAMES = ("Ada", "Boris", "Chloe", "Dmitri", "Elena", "Farid", "Greta", "Hiro", "Ines", "Jonas")

#: Statements about a person, with a question that each answers.
_STATEMENTS = (
    ("plays the cello in a quartet", "Which instrument does {} play?"),
    ("is allergic to walnuts", "What food must {} avoid?"),
    ("moved to Lisbon in spring", "Where does {} live now?"),
    ("drives an old yellow van", "What kind of vehicle does {} have?"),
    ("adopted a blind greyhound", "What pet did {} take in?"),
    ("works night shifts at the bakery", "Where does {} work?"),
    ("is training for a marathon", "What race is {} preparing for?"),
    ("collects antique maps", "What does {} collect?"),
    ("has a sister in Nairobi", "Who of the family of {} lives in Africa?"),
    ("prefers tea without sugar", "How does {} take tea?"),
)
_SMALL_TALK = (
    "Good morning, how was your weekend?",
    "It rained all day here.",
    "Let me know when you arrive.",
    "Thanks, that was kind of you.",
    "See you tomorrow then!",
    "I have no idea, sorry.",
)
_ADVICE = (
    "Here are some points to keep in mind. First, take your time and make a plan that fits your "
    "week. Second, write down what matters to you, and talk about it with people you trust. "
    "Third, review the plan every month and adjust it. "
)
_SERVICES = ("billing", "search", "gateway", "mailer", "archive", "scheduler", "avatar", "ledger")
_SYMBOLS = ("retry_limit", "parse_header", "CACHE_TTL", "flush_queue", "MAX_WORKERS", "sign_token")
_SECTIONS = (
    ("Heating", "The heat pump in the cellar of {} needs a new filter every autumn."),
    ("Garden", "The apple trees of {} are pruned in February, never in rain."),
    ("Keys", "The spare key of {} hangs behind the fuse box."),
    ("Waste", "The paper bin of {} is emptied on odd Thursdays."),
    ("Water", "The main valve of {} is under the third cellar step."),
)
_HOUSES = ("Birch Lane 4", "Harbour Road 11", "Mill Street 7", "Castle Hill 2", "Station Square 9")
_START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def kinds() -> Evaluation:
    """Return five groups: `chat`, `assistant`, `facts`, `code` and `notes`."""
    memories: list[EvaluationMemory] = []
    questions: list[EvaluationQuestion] = []
    for kind, made in (
        ("chat", _chat()),
        ("assistant", _assistant()),
        ("facts", _facts()),
        ("code", _code()),
        ("notes", _notes()),
    ):
        for number, (text, question) in enumerate(made):
            each = f"{kind}-{number}"
            memories.append(
                EvaluationMemory(
                    id=each,
                    content=text,
                    created_at=_START + timedelta(minutes=number),
                    conversation_id=kind if kind in {"chat", "assistant"} else None,
                    group=kind,
                )
            )
            if question:
                questions.append(
                    EvaluationQuestion(text=question, evidence=[each], category=kind, group=kind)
                )
    return Evaluation(memories=memories, questions=questions)


def _pairs(seed: int) -> Iterator[tuple[str, str, str]]:
    """Yield a person, a statement about the person and its question, in mixed order."""
    chance = random.Random(seed)
    pairs = [(name, said, asked) for name in _NAMES for said, asked in _STATEMENTS]
    for name, said, asked in chance.sample(pairs, 30):
        yield name, said, asked.format(name)


def _chat() -> Iterator[tuple[str, str | None]]:
    for number, (name, said, asked) in enumerate(_pairs(1)):
        yield f"Kim: {_SMALL_TALK[number % len(_SMALL_TALK)]} ({number})", None
        yield f"Lee: I met {name} today, who {said}.", asked


def _assistant() -> Iterator[tuple[str, str | None]]:
    for number, (name, said, asked) in enumerate(_pairs(2)):
        yield f"My friend {name} {said}. What should I know about that?", asked
        yield f"So {name} {said}. {_ADVICE * 8}That is number {number}.", None


def _facts() -> Iterator[tuple[str, str | None]]:
    for name, said, asked in _pairs(3):
        yield f"{name} {said}.", asked


def _code() -> Iterator[tuple[str, str | None]]:
    for number, (service, symbol) in enumerate((v, s) for v in _SERVICES for s in _SYMBOLS):
        asked = f"What value does {symbol} have in the {service} service?"
        yield (
            f"Set {symbol} of the {service} service to {number + 3}, after the load test.",
            (asked if number % 3 == 0 else None),
        )


def _notes() -> Iterator[tuple[str, str | None]]:
    filler = "Nothing else was decided, and the next inspection is planned as usual. "
    for number, house in enumerate(_HOUSES):
        sections = [f"## {title}\n{text.format(house)} {filler * 8}" for title, text in _SECTIONS]
        title, _ = _SECTIONS[number]
        asked = {
            "Heating": f"How often does the filter of the heat pump in {house} need a change?",
            "Garden": f"When are the apple trees of {house} pruned?",
            "Keys": f"Where is the spare key of {house}?",
            "Waste": f"When is the paper bin of {house} emptied?",
            "Water": f"Where is the main valve of {house}?",
        }[title]
        yield f"# {house}\n" + "\n\n".join(sections), asked
        yield f"The inspector visited {house} and left a short message at the door.", None
