// Add a tag to the memories of a cluster.
//
// access  write
// param   tag : STRING — the tag to add
// returns memory_id : STRING
// include learning/acting/begin
WITH *,
  // include fragments/change/values
  AS was
SET m.tags =
  // include fragments/memory/tags
  + $tag
WITH m, was, earlier
CALL (m, was) {
  // include fragments/change/note
}
// include decay/schedule
// include learning/acting/record
RETURN m.uuid AS memory_id
