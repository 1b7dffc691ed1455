"""Spans where OpenTelemetry is not used, and where its SDK is not installed."""

import os
import subprocess
import sys

import pytest

from graph_memory.errors import SettingsError
from graph_memory.tracing import export_spans

UNTRACED = """
import sys
from graph_memory.api.service import GraphMemory
from graph_memory.tracing import model_span
with model_span("embeddings", "model", 1):
    pass
assert "opentelemetry" not in sys.modules
"""


def test_a_process_without_opentelemetry_does_not_import_it() -> None:
    subprocess.run([sys.executable, "-c", UNTRACED], check=True)


@pytest.mark.parametrize("exporter", ["otlp", "console"])
def test_an_export_without_the_extra_names_the_commands_that_install_it(
    exporter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", exporter)
    for name in ("sdk.trace.export", "exporter.otlp.proto.http.trace_exporter"):
        monkeypatch.setitem(sys.modules, f"opentelemetry.{name}", None)
    with pytest.raises(SettingsError, match=r"uv pip install 'graph-memory\[opentelemetry\]'"):
        export_spans()


def test_spans_are_exported_only_if_a_variable_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    for off in (("OTEL_TRACES_EXPORTER", "none"), ("OTEL_SDK_DISABLED", "true")):
        with monkeypatch.context() as patch:
            patch.setenv(*off)
            patch.setitem(sys.modules, "opentelemetry.trace", None)  # an import would fail
            export_spans()


PROVIDED = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from graph_memory.tracing import export_spans
own = TracerProvider()
trace.set_tracer_provider(own)
export_spans()
assert trace.get_tracer_provider() is own
"""


def test_the_provider_of_a_program_stays_with_its_own_exporter() -> None:
    environment = {
        **os.environ,
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
    }
    subprocess.run([sys.executable, "-c", PROVIDED], check=True, env=environment)
