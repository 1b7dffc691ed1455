// Return what the best similarity of the passages of memory `m` gains by their number.
//
// An expression. The largest of n values around one mean lies sqrt(2 ln n) standard deviations
// above it. Without this, a long text would beat a short one that answers better.
//
// access  fragment
// source  Leadbetter, Lindgren, Rootzen: Extremes of Random Sequences (1983); 0.04 is measured
0.04 * sqrt(2 * log(m.passage_count))
