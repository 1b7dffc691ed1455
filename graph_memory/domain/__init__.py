"""Values and their checks: memories, relations, inputs and timestamps; no I/O."""
