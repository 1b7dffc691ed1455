// Claim the next backup, unless another process has claimed it or made it already.
//
// The first write takes a lock, so one of two concurrent claims succeeds.
//
// access  write
// param   now   : STRING — wall-clock time, ISO 8601, UTC
// param   until : STRING — end of the claim, ISO 8601, UTC
// param   seen  : STRING? — time of the latest backup when this one became due, ISO 8601, UTC
// returns claimed : BOOLEAN
MERGE (backup:Control {key: 'backup'})
SET backup.asked_at = $now
WITH backup, coalesce(backup.expires_at <= $now, true)
  AND coalesce(backup.at = $seen, backup.at IS NULL AND $seen IS NULL) AS free
SET backup.expires_at = CASE WHEN free THEN $until ELSE backup.expires_at END
RETURN free AS claimed
