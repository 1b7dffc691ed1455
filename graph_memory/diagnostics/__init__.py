"""Checks and repairs of the database, statistics and the metrics it gives."""
