// Add feedback to that of a group, as an exponential moving average.
//
// The lock is taken before the average is read, so that no feedback is lost.
//
// access  write
// param   group_id : STRING — the tenant
// param   lean     : FLOAT? [1] — -1..1, meaning minus words in the score; null if unknown
// param   rate     : FLOAT [1] — weight of this feedback, 0..1
// param   useful   : BOOLEAN
// param   now      : STRING — ISO 8601, UTC
// returns lean    : FLOAT
// returns useful  : INTEGER
// returns useless : INTEGER
// source  exponentially weighted moving average
MERGE (c:Control {key: 'feedback|' + $group_id})
ON CREATE SET c.lean = 0.0, c.useful = 0, c.useless = 0
SET c.updated_at = $now
WITH c, CASE WHEN $useful THEN $lean ELSE -$lean END AS judged
SET
  c.lean = c.lean + $rate * (coalesce(judged, c.lean) - c.lean),
  c.useful = c.useful + CASE WHEN $useful THEN 1 ELSE 0 END,
  c.useless = c.useless + CASE WHEN $useful THEN 0 ELSE 1 END
RETURN c.lean AS lean, c.useful AS useful, c.useless AS useless
