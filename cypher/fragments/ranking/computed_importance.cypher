// Return the importance of memory `m` by its connectivity and use, 1 to 10; null if not measured.
//
// An expression. The root spreads centralities, which are small for most memories.
//
// access  fragment
// param   connectivity_share : FLOAT [1] — the share of connectivity, 0 to 1; the rest is use
// param   much_used          : INTEGER — accesses of full use, > 0
// source  importance from connectivity and usage, as the design of hybrid scores asks for
1.0 + 9.0 * (
  $connectivity_share * sqrt(m.centrality) + (1 - $connectivity_share) *
  CASE WHEN m.access_count >= $much_used THEN 1.0
    ELSE log(1 + m.access_count) / log(1 + $much_used) END
)
