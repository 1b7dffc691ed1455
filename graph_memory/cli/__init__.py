"""The command line, `graph-memory`; the only part that knows Typer."""

from graph_memory.cli.app import main

__all__ = ["main"]
