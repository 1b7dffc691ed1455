"""Maintenance runs: stages, records, dry run, undo, compression and re-embedding."""
