// Take the lease that only one run holds, if it is free or over.
//
// The first write locks it, so that of two who ask at once the second sees what the first took.
//
// access  write
// param   owner      : STRING — who asks
// param   gone       : STRING? — a holder that is known to be no more
// param   now        : STRING — by the wall clock, ISO 8601, UTC
// param   expires_at : STRING — ISO 8601, UTC
// returns owner : STRING — who holds it now
MERGE (lease:Control {key: 'maintenance'})
SET lease.asked_at = $now
WITH lease, lease.owner IS NULL OR lease.owner = $gone OR lease.expires_at <= $now AS free
SET
  lease.owner = CASE WHEN free THEN $owner ELSE lease.owner END,
  lease.expires_at = CASE WHEN free THEN $expires_at ELSE lease.expires_at END
RETURN lease.owner AS owner
