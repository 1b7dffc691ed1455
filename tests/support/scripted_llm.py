"""A language model that says what a test tells it to: a real HTTP server on this machine."""

import contextlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

#: The body of a request in, status and body of the answer out; bytes go out as they are.
Script = Callable[[dict[str, Any]], tuple[int, Any]]


@dataclass
class ScriptedLlm:
    """A running server; `asked` holds the bodies of all requests, `keys` their authorization."""

    url: str = ""
    script: Script = field(default=lambda body: says({}))
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


def says(content: Any) -> tuple[int, Any]:
    """Return a chat completion whose content is this text, or this as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    return 200, {"choices": [{"message": {"role": "assistant", "content": text}}]}


def schema_of(body: dict[str, Any]) -> str:
    """Return the name of the answer's schema."""
    return body["response_format"]["json_schema"]["name"]


def prompt_of(body: dict[str, Any]) -> str:
    """Return all that was said."""
    return "\n".join(message["content"] for message in body["messages"])


@contextmanager
def scripted_llm() -> Iterator[ScriptedLlm]:
    """Run a server on a free port."""
    state = ScriptedLlm()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append(body)
            state.keys.append(self.headers["Authorization"])
            try:
                status, answer = state.script(body)
            except Exception as error:  # what a script did not expect is an answer as well
                status, answer = 500, {"error": repr(error)}
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield state
        server.shutdown()
        thread.join()
