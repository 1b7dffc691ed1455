"""The public API: `GraphMemory`, its parts and the types that they return."""
