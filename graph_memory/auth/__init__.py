"""Access tokens, JWTs, grants and rate limits."""
