// List the writes of a group that wait for a review, the earliest first.
//
// access  read
// param   group_id    : STRING — the tenant
// param   pending_ids : LIST<STRING>? — only these
// param   limit       : INTEGER
// returns pending_id     : STRING
// returns kind           : STRING — add, update or episode
// returns content        : STRING
// returns memory_id      : STRING? — the memory that an update changes
// returns rule           : STRING
// returns created_at     : STRING — ISO 8601, UTC
// returns origin         : MAP
// returns arguments_json : STRING
MATCH (p:PendingWrite {group_id: $group_id})
WHERE $pending_ids IS NULL OR p.uuid IN $pending_ids
RETURN p.uuid AS pending_id, p.kind AS kind, p.content AS content, p.memory_id AS memory_id,
       p.rule AS rule, p.created_at AS created_at, {
         way_in: p.origin_way_in, caller: p.origin_caller, authority: p.origin_authority,
         origin_id: p.origin_id
       } AS origin, p.arguments_json AS arguments_json
ORDER BY created_at, pending_id
LIMIT $limit
