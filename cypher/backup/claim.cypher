// Take it on oneself to make a backup, unless another has.
//
// The first write locks, so that of two who ask at once only one gets it.
//
// access  write
// param   now   : STRING — by the wall clock, ISO 8601, UTC
// param   until : STRING — when others may try again, ISO 8601, UTC
// returns claimed : BOOLEAN
MERGE (backup:Control {key: 'backup'})
SET backup.asked_at = $now
WITH backup, coalesce(backup.expires_at <= $now, true) AS free
SET backup.expires_at = CASE WHEN free THEN $until ELSE backup.expires_at END
RETURN free AS claimed
