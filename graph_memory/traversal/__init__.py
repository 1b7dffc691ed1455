"""Walks along relations and analyses of the graph."""
