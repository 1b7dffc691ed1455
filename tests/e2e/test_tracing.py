"""Spans of a real server, as a collector of OpenTelemetry receives them."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from graph_memory import Settings
from graph_memory.database.graph import Graph
from tests.e2e.test_mcp_transport import process, said
from tests.support.mcp_client import bearing, call

SECRET = "The vault opens with seven silver whistles"
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"


@dataclass
class Collector:
    """A collector of spans over HTTP."""

    url: str
    spans: list[Any] = field(default_factory=list)
    services: set[str] = field(default_factory=set)
    bodies: list[bytes] = field(default_factory=list)

    def receive(self, body: bytes) -> None:
        self.bodies.append(body)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            named = {each.key: each.value.string_value for each in resource.resource.attributes}
            self.services.add(named["service.name"])
            self.spans += [span for scope in resource.scope_spans for span in scope.spans]

    def of_trace(self, trace_id: str) -> dict[str, Any]:
        """Return the spans of a trace by name; the last of those with one name."""
        return {span.name: span for span in list(self.spans) if span.trace_id.hex() == trace_id}

    async def named(self, trace_id: str, name: str) -> Any:
        """Wait for a span of a trace."""
        async with asyncio.timeout(60):
            while name not in self.of_trace(trace_id):  # noqa: ASYNC110 - a thread receives them
                await asyncio.sleep(0.05)
        return self.of_trace(trace_id)[name]


@pytest.fixture
def collector() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collecting.receive(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collecting = Collector(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield collecting
    server.shutdown()
    server.server_close()


def attributes(span: Any) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


async def test_a_call_its_statements_and_its_model_continue_the_trace_of_the_caller(
    graph: Graph, settings: Settings, group: str, collector: Collector
) -> None:
    exporting = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}
    async with process(
        settings, GRAPH_MEMORY_EMBEDDING_URL="", GRAPH_MEMORY_GROUP_ID=group, **exporting
    ) as started:
        url = (await said(started, "Serving MCP at")).split()[-1].removesuffix("/mcp")
        async with bearing(url, "none", traceparent=TRACEPARENT) as client:
            await call(client, "add_memory", content=SECRET)
            called = await collector.named(TRACE, "tools/call add_memory")
            stored = await collector.named(TRACE, "memories/add/create")
            embedded = await collector.named(TRACE, "embeddings all-MiniLM-L6-v2")
            other = TRACE[::-1]
            meta: Any = {"traceparent": f"00-{other}-{PARENT}-01"}
            await client.call_tool("search_memory", {"query": SECRET}, meta=meta)
            searched = await collector.named(other, "tools/call search_memory")
            await client.call_tool("get_memory", {"memory_id": "none"})
            failed = await collector.named(TRACE, "tools/call get_memory")
    assert called.parent_span_id.hex() == searched.parent_span_id.hex() == PARENT
    assert stored.parent_span_id == called.span_id
    assert attributes(stored) == {"db.system.name": "neo4j", "db.query.summary": stored.name}
    assert attributes(embedded)["graph_memory.texts"] == 1
    assert attributes(failed)["error.type"] == "tool_error"
    assert collector.services == {"graph-memory"}
    assert not any(b"whistles" in body for body in collector.bodies)


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        (
            {"OTEL_TRACES_EXPORTER": "zipkin"},
            "OTEL_TRACES_EXPORTER is 'zipkin'; set it to otlp, console or none.",
        ),
        (
            {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc'; set it to http/protobuf.",
        ),
    ],
)
@pytest.mark.parametrize("options", [(), ("--stdio",)], ids=["http", "stdio"])
async def test_an_unsupported_variable_is_refused_with_its_remedy(
    settings: Settings, options: tuple[str, ...], variables: dict[str, str], words: str
) -> None:
    async with process(settings, *options, **variables) as started:
        assert words in await said(started, "OTEL_")
        assert await started.wait() == 2
