// Count the future changes of state of a group's memories, by interval.
//
// access  read
// param   group_id : STRING — the tenant
// param   ends     : LIST<INTEGER> — ends of the intervals, milliseconds since 1970, ascending
// returns interval   : INTEGER — from 0
// returns from_state : STRING
// returns to_state   : STRING
// returns count      : INTEGER
// variant sound
MATCH (m:Memory {group_id: $group_id})
// include decay/forecast/path
UNWIND path AS step
WITH step WHERE step.at <= $ends[-1]
WITH step, size([end IN $ends WHERE end < step.at]) AS interval
RETURN interval, step.from AS from_state, step.to AS to_state, count(*) AS count
ORDER BY interval, from_state, to_state
