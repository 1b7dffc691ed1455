"""The formulas of search; no I/O."""
