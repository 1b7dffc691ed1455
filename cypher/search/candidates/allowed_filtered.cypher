// Keep the memories `m` that match the filters.
//
// access  fragment
// include fragments/memory/filter
