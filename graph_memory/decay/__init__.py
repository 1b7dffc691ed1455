"""Decay policies, the status of a memory and the forecast of a group."""
