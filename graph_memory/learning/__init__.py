"""Learning in runs: proposals, strengths, centrality, weights, clusters and conflicts."""
