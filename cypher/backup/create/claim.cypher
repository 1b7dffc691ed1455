// Take it on oneself to make a backup, unless another has, or has made one meanwhile.
//
// The first write locks, so that of two who ask at once only one gets it.
//
// access  write
// param   now   : STRING — by the wall clock, ISO 8601, UTC
// param   until : STRING — when others may try again, ISO 8601, UTC
// param   seen  : STRING? — of the latest backup, as it was when this one was found to be due
// returns claimed : BOOLEAN
MERGE (backup:Control {key: 'backup'})
SET backup.asked_at = $now
WITH backup, coalesce(backup.expires_at <= $now, true)
  AND coalesce(backup.at = $seen, backup.at IS NULL AND $seen IS NULL) AS free
SET backup.expires_at = CASE WHEN free THEN $until ELSE backup.expires_at END
RETURN free AS claimed
