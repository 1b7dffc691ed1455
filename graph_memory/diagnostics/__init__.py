"""Checks and repairs of the database, statistics, and metrics from the database."""
