// List the relations of a source that hold.
//
// access  read
// param   group_id  : STRING — the tenant
// param   caller    : STRING? — name and id of a token, or the subject of a JWT
// param   token_id  : STRING? — id of a token
// param   origin_id : STRING? — an import, a run or the job of an episode
// param   since     : STRING? — earliest creation, ISO 8601, UTC
// returns relation_id : STRING
MATCH (m:Memory {group_id: $group_id})-[r:RELATES_TO]->(:Memory)
WHERE r.expired_at IS NULL
  AND ($caller IS NULL OR r.origin_caller = $caller
    OR r.origin_caller ENDS WITH '/' + $token_id)
  AND ($origin_id IS NULL OR r.origin_id = $origin_id)
  AND ($since IS NULL OR r.created_at >= datetime($since))
RETURN r.uuid AS relation_id ORDER BY relation_id
