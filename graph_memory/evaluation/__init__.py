"""Recall measured on questions with known answers."""
