"""Proposals, centrality, clusters and conflicts: what a graph learns in maintenance runs."""
