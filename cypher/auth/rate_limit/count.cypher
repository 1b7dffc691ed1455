// Count a call of the current minute.
//
// The first write locks the counter, so that replicas count one after the other.
//
// access  write
// param   key    : STRING — caller, and the kind of call
// param   minute : STRING — current minute, ISO 8601, UTC
// returns calls : INTEGER — calls of this minute, including this one
MERGE (rate:Control {key: 'rate:' + $key})
SET rate.asked_at = $minute
WITH rate, CASE WHEN rate.since = $minute THEN rate.value ELSE 0 END + 1 AS calls
SET rate.since = $minute, rate.value = calls
RETURN calls
