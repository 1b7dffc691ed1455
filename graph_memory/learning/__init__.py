"""Proposals, strengths, centrality, clusters and conflicts: what a graph learns in runs."""
