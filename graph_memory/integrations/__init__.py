"""Adapters that let other frameworks use a `GraphMemory`; each needs an extra."""
