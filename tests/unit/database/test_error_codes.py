"""The table of error codes is complete, and each meaning has its error."""

from pathlib import Path

import pytest
from neo4j.exceptions import Neo4jError

from graph_memory import errors, local_neo4j, read_settings
from graph_memory.database.driver_errors import translate
from graph_memory.database.error_codes import MEANINGS, Meaning

LISTED = Path(__file__).parents[2] / "data" / "neo4j_error_codes.txt"

CODES = [line for line in LISTED.read_text().splitlines() if not line.startswith("#")]

ERRORS = {
    Meaning.TIMEOUT: errors.GraphTimeoutError,
    Meaning.LOCKED: errors.LockTimeoutError,
    Meaning.OVERLOADED: errors.GraphOverloadedError,
    Meaning.STOPPED: errors.DatabaseStoppedError,
    Meaning.UNAVAILABLE: errors.GraphUnavailableError,
    Meaning.REFUSED: errors.SettingsError,
    Meaning.NO_DATABASE: errors.SettingsError,
    Meaning.READ_ONLY: errors.SettingsError,
    Meaning.VALUE: errors.SchemaError,
    Meaning.DEFECT: errors.StatementError,
}


def translated(code: str) -> errors.GraphMemoryError:
    error = Neo4jError._hydrate_neo4j(code=code, message="as Neo4j words it")  # type: ignore[attr-defined]
    return translate(error, "a/statement", "bolt://here", read_settings())  # type: ignore[arg-type]


def test_the_table_holds_each_code_of_the_local_neo4j() -> None:
    assert local_neo4j.NEO4J_VERSION in LISTED.read_text().splitlines()[0]
    assert {".".join(code.split(".")[2:]) for code in CODES} == set(MEANINGS)


@pytest.mark.parametrize("code", CODES)
def test_each_code_has_the_error_of_its_meaning(code: str) -> None:
    meaning = MEANINGS[".".join(code.split(".")[2:])]
    if meaning is Meaning.DEFECT and code.startswith("Neo.TransientError"):
        assert type(translated(code)) is errors.GraphUnavailableError
    else:
        assert type(translated(code)) is ERRORS[meaning]


def test_a_code_of_a_later_version_is_a_defect() -> None:
    assert type(translated("Neo.ClientError.Statement.Unheard")) is errors.StatementError
