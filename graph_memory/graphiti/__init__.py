"""The use of graphiti-core: episodes, adoption, search and writes."""
