// Keep receipts of another server, which contain no erased text.
//
// access  write
// param   group_id : STRING — the tenant
// param   receipts : LIST<MAP> — key, at, memory_ids and receipt, sorted by key
UNWIND $receipts AS row
MERGE (c:Control {key: row.key})
SET c.group_id = $group_id, c.at = row.at, c.memory_ids = row.memory_ids, c.receipt = row.receipt
