// Count a call in the present minute.
//
// The first write locks, so that callers of all replicas are counted one after the other.
//
// access  write
// param   key    : STRING — who calls, and what
// param   minute : STRING — the present one, ISO 8601, UTC
// returns calls : INTEGER — in this minute, this one included
MERGE (rate:Control {key: 'rate:' + $key})
SET rate.asked_at = $minute
WITH rate, CASE WHEN rate.since = $minute THEN rate.value ELSE 0 END + 1 AS calls
SET rate.since = $minute, rate.value = calls
RETURN calls
