// Return session `s` with its loaded memories.
//
// An expression. `recent` has what differs from the lists `loaded`, with an empty version for a
// memory that was dropped. An earlier version stored the lists alone.
//
// access  fragment
{
  total_tokens: s.total_tokens,
  loaded: {ids: s.loaded_ids, positions: s.loaded_positions, versions: s.loaded_versions},
  recent: {
    ids: coalesce(s.recent_ids, []),
    positions: coalesce(s.recent_positions, []),
    versions: coalesce(s.recent_versions, [])
  },
  checked: coalesce(s.checked, 0),
  history: s.history,
  revision: s.revision
}
