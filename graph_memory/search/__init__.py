"""Search, listing and retrieval within a token budget, with sessions and feedback."""
