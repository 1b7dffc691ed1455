// Mark the memories of a cluster obsolete for a reason.
//
// access  write
// returns memory_id : STRING
// include learning/acting/begin
CALL (m) {
  OPTIONAL MATCH (other:Memory {uuid: ''})  // none supersedes
  // include memories/lifecycle/expire
}
// include learning/acting/record
RETURN m.uuid AS memory_id
