"""Backups: created, scheduled and restored."""
