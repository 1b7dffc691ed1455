// Set the properties of a memory on entity `n` from `row`, only where the entity lacks them.
//
// It gets no `valid_at`, because the start of its validity is unknown. A memory of before origins
// gets no origin.
//
// access  fragment
// param   origin : MAP — way_in, caller, authority, above and origin_id
// source  an entity without decay fields counts as ACTIVE, unused since its creation
WITH *, format(datetime({epochMillis: n.created_at.epochMillis}), "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
  AS made_at
FOREACH (_ IN CASE WHEN n.lifecycle_state IS NULL AND n.origin_way_in IS NULL THEN [1] ELSE [] END |
  SET n.origin_authority = $origin.authority, n.origin_way_in = $origin.way_in,
      n.origin_caller = $origin.caller, n.origin_id = $origin.origin_id
)
SET
  n:Memory,
  n.group_key = coalesce(n.group_key, row.group_key),
  n.content = CASE WHEN n.content_gz IS NULL THEN coalesce(n.content, row.content) END,
  n.content_hash = coalesce(n.content_hash, row.content_hash),
  n.metadata_json = coalesce(n.metadata_json, '{}'),
  n.tags = coalesce(n.tags, row.tags),
  n.memory_type = coalesce(n.memory_type, 'concept'),
  n.source = coalesce(n.source, 'derived'),
  n.importance_source = CASE WHEN n.importance IS NULL THEN row.importance_source
    ELSE coalesce(n.importance_source, 'user') END,
  n.importance = coalesce(n.importance, row.importance),
  n.stability_source = CASE WHEN n.stability IS NULL THEN row.importance_source
    ELSE coalesce(n.stability_source, 'user') END,
  n.stability = coalesce(n.stability, row.stability),
  n.classification_status = coalesce(n.classification_status, row.classification_status),
  n.decay_score = coalesce(n.decay_score, 0.0),
  n.last_decay_update = coalesce(n.last_decay_update, made_at),
  n.lifecycle_state = coalesce(n.lifecycle_state,
    CASE WHEN n.soft_deleted_at IS NULL THEN 'ACTIVE' ELSE 'SOFT_DELETED' END),
  n.state_changed_at = coalesce(n.state_changed_at, made_at),
  n.state_reason = coalesce(n.state_reason, 'adopted'),
  n.state_history = coalesce(n.state_history, []),
  n.access_count = coalesce(n.access_count, 0),
  n.last_accessed_at = coalesce(n.last_accessed_at, made_at),
  n.reinforcement_pending = coalesce(n.reinforcement_pending, 0),
  n.updated_at = coalesce(n.updated_at, made_at)
SET n.dedup_key = CASE WHEN n.soft_deleted_at IS NULL THEN n.group_id + '|' + n.content_hash END
