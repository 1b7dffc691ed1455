// Mark memory `m` obsolete, superseded by memory `other` unless that is null.
//
// An earlier end stays, and counts as known since the memory was created. The history keeps an
// earlier reason.
//
// access  fragment
// param   group_id    : STRING — the tenant
// param   reason      : STRING
// param   relation_id : STRING — id of the relation `supersedes`, if it is created
// param   origin      : MAP — of that relation: way_in, caller, authority, above and origin_id
// param   now         : STRING — ISO 8601, UTC
CALL (m) {
  // include decay/next_state
  WITH *, 'obsolete' AS reason, 'EXPIRED' AS entered
  // include decay/enter_state
}
WITH m, other,
  CASE WHEN m.obsolete_at IS NOT NULL THEN {obsolete_reason: m.obsolete_reason} ELSE {} END AS was
SET
  m.ended_at = coalesce(m.ended_at, CASE
    WHEN m.invalid_at <= $now OR other IS NULL AND m.invalid_at IS NOT NULL
      THEN coalesce(m.obsolete_at, format(
        datetime({epochMillis: m.created_at.epochMillis}), "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"))
    WHEN other IS NOT NULL THEN $now
  END),
  m.obsolete_at = coalesce(m.obsolete_at, $now),
  m.obsolete_reason = $reason,
  m.invalid_at = CASE
    WHEN other IS NULL OR m.invalid_at <= $now THEN m.invalid_at
    WHEN other.valid_at > m.valid_at THEN other.valid_at
    ELSE $now
  END
FOREACH (winner IN CASE WHEN other IS NULL THEN [] ELSE [other] END |
  MERGE (winner)-[r:RELATES_TO {edge_key: winner.uuid + '|supersedes|' + m.uuid}]->(m)
  ON CREATE SET
    r.uuid = $relation_id, r.group_id = $group_id, r.group_key = winner.group_key,
    r.name = 'supersedes', r.strength = 1.0,
    r.origin_authority = $origin.authority, r.origin_way_in = $origin.way_in,
    r.origin_caller = $origin.caller, r.origin_id = $origin.origin_id,
    r.fact = winner.name + ' supersedes ' + m.name, r.episodes = [], r.metadata_json = '{}',
    r.created_at = datetime($now), r.valid_at = datetime($now)
)
// include fragments/change/note
WITH m
// include decay/schedule
