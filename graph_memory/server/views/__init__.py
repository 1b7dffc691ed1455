"""The structured answers of the tools."""
