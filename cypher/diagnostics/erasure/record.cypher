// Keep the receipt of an erasure, which contains no erased text.
//
// access  write
// param   receipt_id : STRING
// param   group_id   : STRING — the tenant
// param   at         : STRING — ISO 8601, UTC
// param   memory_ids : LIST<STRING> — what was erased
// param   receipt    : STRING — JSON
MERGE (c:Control {key: 'erasure:' + $receipt_id})
SET c.group_id = $group_id, c.at = $at, c.memory_ids = $memory_ids, c.receipt = $receipt
