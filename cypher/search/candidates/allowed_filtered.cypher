// Keep the memories `m` that the filters allow.
//
// access  fragment
// include fragments/memory/filter
