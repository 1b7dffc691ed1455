"""The formulas by which memories are ranked: scores, terms, late interaction. No I/O.

- `scoring`: the default ranking, one function of candidates, question, settings and time.
- `late_interaction`: token vectors, their quantisation and MaxSim.
- `terms`: content words of a text, and safe Lucene queries for them.
- `other_names`: names that also meet the words of a question.
- `dates`: periods that a question names.
- `profiles`: the three ways to rank, and the parameters of their Cypher fragments.
"""
