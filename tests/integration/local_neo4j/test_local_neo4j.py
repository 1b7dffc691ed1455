"""The managed local Neo4j for real: processes that start, share, die and come back."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import LiteralString

import neo4j
import psutil
import pytest

from graph_memory import local_neo4j
from graph_memory.local_neo4j import LocalNeo4j, process
from graph_memory.settings.base import Settings, read_settings

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills by signals")

# Says the pid of the instance it got, then holds it until its standard input is closed.
_USER = """
import sys
from pathlib import Path
from graph_memory import local_neo4j
from graph_memory import read_settings

settings = read_settings(
    data_dir=Path(sys.argv[1]),
    local_fast_start=True,
    local_heap_mebibytes=256,
    local_page_cache_mebibytes=32,
    local_linger_seconds=float(sys.argv[2]),
)
print(local_neo4j.acquire(settings).pid, flush=True)
sys.stdin.read()
local_neo4j.release(settings)
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Return settings of a data root of its own; what runs there ends with the module."""
    settings = read_settings(
        data_dir=tmp_path_factory.mktemp("local neo4j"),  # a path with a space
        local_fast_start=True,
        local_heap_mebibytes=256,
        local_page_cache_mebibytes=32,
    )
    yield settings
    local_neo4j.stop(settings)


class User:
    """Another process that uses the instance."""

    def __init__(self, settings: Settings, *, linger_seconds: float = 0) -> None:
        command = [sys.executable, "-c", _USER, str(settings.data_dir), str(linger_seconds)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = self._process.pid

    def instance_pid(self) -> int:
        assert self._process.stdout
        return int(self._process.stdout.readline())

    def leave(self) -> None:
        self._process.communicate(timeout=60)
        assert self._process.returncode == 0

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=60)


def _ask(instance: LocalNeo4j, statement: LiteralString, password: str | None = None):
    auth = (instance.user, password or instance.password)
    # Readiness must hold for the first attempt: no retries.
    with neo4j.GraphDatabase.driver(
        instance.uri, auth=auth, max_transaction_retry_time=0
    ) as driver:
        return driver.execute_query(
            statement, database_=instance.database, result_transformer_=neo4j.Result.single
        )


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_one_instance_serves_all_and_the_last_one_out_stops_it(settings: Settings):
    instance = local_neo4j.acquire(settings)
    assert _ask(instance, "RETURN 1 AS one") == {"one": 1}
    with pytest.raises(neo4j.exceptions.AuthError):
        _ask(instance, "RETURN 1", password="neo4j")
    root = settings.data_dir / "neo4j"
    assert (_mode(root), _mode(root / "password")) == (0o700, 0o600)
    assert instance.password not in repr(instance)
    assert instance.password not in " ".join(psutil.Process(instance.pid).cmdline())
    listening = [c.laddr for c in psutil.Process(instance.pid).net_connections() if not c.raddr]
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert len(listening) == 1

    killed, polite = User(settings), User(settings)
    assert {killed.instance_pid(), polite.instance_pid()} == {instance.pid}
    assert set(local_neo4j.status(settings).users) == {os.getpid(), killed.pid, polite.pid}
    killed.kill()
    assert set(local_neo4j.status(settings).users) == {os.getpid(), polite.pid}

    assert local_neo4j.acquire(settings) == instance
    local_neo4j.release(settings)
    assert local_neo4j.running(settings) == instance
    local_neo4j.release(settings)
    assert local_neo4j.running(settings) == instance
    began = time.monotonic()
    polite.leave()
    assert local_neo4j.running(settings) is None
    assert time.monotonic() - began < 10
    assert "Stopped." in local_neo4j.log_tail(settings)


def test_the_instance_outlives_a_killed_starter_and_comes_back_when_killed(settings: Settings):
    starter = User(settings, linger_seconds=600)
    pid = starter.instance_pid()
    starter.kill()
    orphan = local_neo4j.running(settings)
    assert orphan is not None
    assert orphan.pid == pid
    assert local_neo4j.status(settings).users == []

    instance = local_neo4j.acquire(settings)
    assert instance.pid == pid
    _ask(instance, "UNWIND range(1, 1000) AS i CREATE (:Kept {i: i}) RETURN count(*) AS n")
    os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    again = local_neo4j.acquire(settings)
    assert time.monotonic() - began < 30
    assert again.uri == instance.uri
    assert again.password == instance.password
    assert _ask(again, "MATCH (k:Kept) RETURN count(k) AS n") == {"n": 1000}
    local_neo4j.release(settings)
    assert local_neo4j.running(settings) == again
    local_neo4j.release(settings)
    assert local_neo4j.running(settings) is None


def test_a_kept_instance_on_another_port_stays_until_it_is_stopped(settings: Settings):
    record = settings.data_dir / "neo4j" / "instance.json"
    before = record.read_text()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        record.write_text(before.replace(before.split('"port": ')[1].split(",")[0], str(port)))
        instance = local_neo4j.start(settings, keep=True)
    assert not instance.uri.endswith(f":{port}")
    assert _ask(instance, "MATCH (k:Kept) RETURN count(k) AS n") == {"n": 1000}
    assert local_neo4j.acquire(settings) == instance
    local_neo4j.release(settings)
    found = local_neo4j.status(settings)
    assert (found.running, found.keep, found.users) == (True, True, [])
    assert found.data_bytes > 2**20
    assert found.jars_missing == 0
    assert local_neo4j.stop(settings) is True
    assert local_neo4j.status(settings).keep is False
    assert local_neo4j.stop(settings) is False


def test_two_that_start_at_once_do_not_take_one_another_for_their_own(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    ours = settings.model_copy(update={"data_dir": tmp_path})
    other = local_neo4j.acquire(settings)
    taken, choose = [int(other.uri.rpartition(":")[2])], process.choose_port
    # As when both have chosen before either listens.
    monkeypatch.setattr(process, "choose_port", lambda last: taken.pop() if taken else choose(last))
    instance = local_neo4j.acquire(ours)
    try:
        assert not taken
        assert instance.uri != other.uri
        assert _ask(instance, "RETURN 1 AS one") == _ask(other, "RETURN 1 AS one") == {"one": 1}
    finally:
        local_neo4j.release(ours)
        local_neo4j.release(settings)
    assert local_neo4j.running(ours) is None


def test_a_command_that_is_ended_while_it_starts_the_instance_takes_it_along(settings: Settings):
    record = settings.data_dir / "neo4j" / "instance.json"
    record.unlink(missing_ok=True)
    given = {
        "DATA_DIR": str(settings.data_dir),
        "LOCAL_FAST_START": "true",
        "LOCAL_HEAP_MEBIBYTES": "256",
        "LOCAL_PAGE_CACHE_MEBIBYTES": "32",
    }
    command = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from graph_memory.cli import main; sys.exit(main())",
            "stats",
            "--json",
        ],
        env=os.environ | {f"GRAPH_MEMORY_{name}": value for name, value in given.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not record.exists():  # written as soon as the JVM runs
        assert command.poll() is None
        time.sleep(0.05)
    command.terminate()
    said, complaint = command.communicate(timeout=120)
    assert (command.returncode, complaint.splitlines()[-1]) == (130, "error: Interrupted.")
    assert '"code": "interrupted"' in said
    status = local_neo4j.status(settings)
    assert (status.running, status.users) == (False, [])
