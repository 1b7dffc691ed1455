"""Adapters to other frameworks, each with an extra, and to scripts without an event loop."""
