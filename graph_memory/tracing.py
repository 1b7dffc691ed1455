"""OpenTelemetry spans of this process, and their export.

The MCP SDK makes the span of a tool call and continues the trace of its caller. Below it there are
spans of Cypher statements and of model passes. Spans have names, models and numbers of texts. They
have no contents, parameters or messages of errors, which may quote a memory.
"""

import os
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from graph_memory.errors import SettingsError
from graph_memory.wording import install_command, shown

if TYPE_CHECKING:
    from opentelemetry import trace as api
    from opentelemetry.sdk.trace.export import SpanExporter

_EXPORTER = "OTEL_TRACES_EXPORTER"
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_PROTOCOL = "http/protobuf"


@contextmanager
def span(name: str, attributes: Mapping[str, str | int]) -> Generator[None]:
    """Record what runs inside as a span, with the type of an error that leaves it.

    Without OpenTelemetry in the process nothing is recorded or imported, which keeps commands fast.
    """
    trace: Any = sys.modules.get("opentelemetry.trace")
    if trace is None:
        yield
        return
    tracer: api.Tracer = trace.get_tracer("graph-memory")
    with tracer.start_as_current_span(
        name,
        kind=trace.SpanKind.CLIENT,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as current:
        try:
            yield
        except BaseException as error:
            current.set_attribute("error.type", type(error).__qualname__)
            current.set_status(trace.StatusCode.ERROR)
            raise


def model_span(operation: str, model: str, texts: int) -> AbstractContextManager[None]:
    """Record a pass of a model over `texts` texts as a span."""
    attributes = {"gen_ai.operation.name": operation, "gen_ai.request.model": model}
    return span(f"{operation} {model}", {**attributes, "graph_memory.texts": texts})


@contextmanager
def continued(headers: Iterable[tuple[bytes, bytes]]) -> Generator[None]:
    """Continue the trace that the headers of an HTTP request name, such as `traceparent`."""
    from opentelemetry import context, propagate

    carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
    token = context.attach(propagate.extract(carrier))
    try:
        yield
    finally:
        context.detach(token)


def export_spans() -> None:
    """Send the spans of this process to where the standard variables of OpenTelemetry point.

    Without `OTEL_EXPORTER_OTLP_ENDPOINT` and `OTEL_TRACES_EXPORTER` nothing is sent. The service is
    named graph-memory, unless `OTEL_SERVICE_NAME` names it. A tracer provider of the program that
    runs the server stays.

    Raises:
        SettingsError: A variable has a value that is not supported, or the extra is missing.
    """
    chosen = os.environ.get(_EXPORTER) or _default_exporter()
    if chosen == "none" or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return
    from opentelemetry import trace

    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return
    exporter = _checked_exporter(chosen)
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    os.environ.setdefault("OTEL_SERVICE_NAME", "graph-memory")
    provider = TracerProvider()  # ends with the process, and sends what is left
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)


def _default_exporter() -> str:
    return "otlp" if any(map(os.environ.get, _ENDPOINTS)) else "none"


def _checked_exporter(name: str) -> "SpanExporter":
    if name not in ("otlp", "console"):
        raise SettingsError(f"{_EXPORTER} is {shown(name)}; set it to otlp, console or none.")
    for variable in _PROTOCOLS:
        if (given := os.environ.get(variable) or _PROTOCOL) != _PROTOCOL:
            raise SettingsError(f"{variable} is {shown(given)}; set it to {_PROTOCOL}.")
    try:
        return _exporter(name)
    except ImportError as error:
        raise SettingsError(
            "Spans need an extra of this package, or OTEL_TRACES_EXPORTER=none; "
            + install_command("opentelemetry")
        ) from error


def _exporter(name: str) -> "SpanExporter":
    if name == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter(out=sys.stderr)  # stdout may carry the protocol
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter()
