"""Settings: fields, sources and checks."""
