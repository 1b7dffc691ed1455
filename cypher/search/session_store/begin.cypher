// Store new sessions.
//
// A session that exists already stays as it is, because another replica has continued it.
//
// access  write
// param   sessions : LIST<MAP> — group_id, session_id, revision, total_tokens, ids, positions,
//                    versions, history and now, each as in `write`
UNWIND $sessions AS new
MERGE (s:Session {session_id: new.group_id + '|' + new.session_id})
ON CREATE SET
  s.group_id = new.group_id,
  s.revision = new.revision,
  s.total_tokens = new.total_tokens,
  s.loaded_ids = new.ids,
  s.loaded_positions = new.positions,
  s.loaded_versions = new.versions,
  s.history = new.history,
  s.updated_at = new.now
