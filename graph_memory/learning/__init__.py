"""Proposals, centrality and conflicts: what a graph learns in the stages of maintenance."""
