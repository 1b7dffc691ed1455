// Forecast the changes of state of a group's memories in a range of ids, by interval.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — the range begins after it
// param   last_id  : STRING — the last of the range
// param   ends     : LIST<INTEGER> — ends of the intervals, milliseconds since 1970, ascending
// param   limit    : INTEGER — most memories of `lost`
// returns steps : LIST<MAP> — interval (from 0), from_state, to_state and count
// returns lost  : LIST<MAP> — memory_id, lead, state and lost_at; the first to be soft-deleted
// variant sound
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE $after_id < m.uuid <= $last_id
// include decay/forecast/path
WITH collect({m: m, path: path, lost_ms: lost_ms}) AS futures
CALL (futures) {
  UNWIND futures AS future
  UNWIND future.path AS step
  WITH step WHERE step.at <= $ends[-1]
  WITH step, size([end IN $ends WHERE end < step.at]) AS interval
  WITH interval, step.from AS from_state, step.to AS to_state, count(*) AS count
  RETURN collect({
    interval: interval, from_state: from_state, to_state: to_state, count: count
  }) AS steps
}
CALL (futures) {
  UNWIND futures AS future
  WITH future.m AS m, future.lost_ms AS lost_ms
  WHERE lost_ms <= $ends[-1] AND m.soft_deleted_at IS NULL
  ORDER BY lost_ms, m.uuid
  LIMIT $limit
  RETURN collect({
    memory_id: m.uuid, lead: left(coalesce(toStringOrNull(m.name), ''), 80),
    state: m.lifecycle_state,
    lost_at: format(datetime({epochMillis: lost_ms}), "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
  }) AS lost
}
RETURN steps, lost
