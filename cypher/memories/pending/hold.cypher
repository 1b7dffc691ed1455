// Keep writes until a review; a write that waits already stays as it is.
//
// access  write
// param   group_id : STRING — the tenant
// param   writes   : LIST<MAP> — pending_id, pending_key, kind, content, arguments_json, memory_id,
//                    rule and authority
// param   origin   : MAP — way_in, caller and origin_id
// param   now      : STRING — ISO 8601, UTC
// returns pending_key : STRING
// returns pending_id  : STRING
UNWIND $writes AS row
MERGE (p:PendingWrite {pending_key: row.pending_key})
ON CREATE SET
  p.uuid = row.pending_id,
  p.group_id = $group_id,
  p.kind = row.kind,
  p.content = row.content,
  p.arguments_json = row.arguments_json,
  p.memory_id = row.memory_id,
  p.rule = row.rule,
  p.created_at = $now,
  p.origin_authority = row.authority,
  p.origin_way_in = $origin.way_in,
  p.origin_caller = $origin.caller,
  p.origin_id = $origin.origin_id
RETURN row.pending_key AS pending_key, p.uuid AS pending_id
