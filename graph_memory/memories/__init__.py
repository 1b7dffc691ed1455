"""Memories and relations: added, read, updated, accessed, classified and deleted."""
