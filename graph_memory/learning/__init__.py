"""What a graph learns, for the stages of maintenance: proposals, centrality and conflicts."""
