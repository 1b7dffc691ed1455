// Describe memory `m` in a list like fragments/memory/full.
//
// The variant serves lists with memories that another client has damaged.
//
// access  fragment
// include fragments/memory/full
