"""Other names of what a question mentions, from entities that a review made one. No I/O.

A word of a question that belongs to a name is also met by the other names: after "Bob" and "Robert
Smith" were made one, a memory about Robert Smith contains the word "Bob" of a question.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph_memory.ranking.terms import content_words

#: Other names of one entity that a question looks up.
MAX_NAMES = 8


@dataclass(frozen=True, slots=True)
class OtherNames:
    """The names of the entities of a group that have several.

    Attributes:
        names: The other names of each name, as the query terms that they consist of.
    """

    names: Mapping[tuple[str, ...], Sequence[str]]

    def of_terms(self, question: str, analyzer: str) -> dict[str, list[str]]:
        """Return the phrases that also meet each query term of a question, by term.

        Args:
            question: Any text.
            analyzer: Analyser of the full-text index.
        """
        if not self.names:
            return {}
        found: defaultdict[str, list[str]] = defaultdict(list)
        terms = [word.term for word in content_words(question, analyzer)]
        longest = max(map(len, self.names))
        for start in range(len(terms)):
            for end in range(start + 1, min(len(terms), start + longest) + 1):
                for term in terms[start:end]:
                    found[term] += self.names.get(tuple(terms[start:end]), ())
        return {term: list(dict.fromkeys(phrases)) for term, phrases in found.items() if phrases}


NO_NAMES = OtherNames({})


def other_names(pairs: Iterable[Sequence[str]], analyzer: str) -> OtherNames:
    """Return the other names of each name in pairs of names of one entity.

    Args:
        pairs: Two names each; pairs with a common name are of one entity.
        analyzer: Analyser of the full-text index.
    """
    one: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for pair in pairs:
        terms = [tuple(word.term for word in content_words(name, analyzer)) for name in pair]
        together = {each for each in terms if each}.union(*(one.get(each, ()) for each in terms))
        one |= dict.fromkeys(together, together)
    return OtherNames(
        {
            name: [" ".join(each) for each in sorted(together - {name})[:MAX_NAMES]]
            for name, together in one.items()
        }
    )
