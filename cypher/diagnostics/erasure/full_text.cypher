// Find the memories of a group that the full-text index returns for words.
//
// access  read
// param   group_id : STRING — the tenant
// param   words    : STRING — query of Lucene
// returns memory_id : STRING
CALL db.index.fulltext.queryNodes('memory_text_idx', $words) YIELD node
WITH node WHERE node.group_id = $group_id
RETURN node.uuid AS memory_id
