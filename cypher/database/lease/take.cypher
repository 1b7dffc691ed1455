// Take the lease if it is free or expired; only one run can hold it.
//
// A lease that ends after `latest` was taken by a clock that was ahead, and counts as expired.
//
// The first write locks the lease, so that the second of two concurrent runs sees the first.
//
// access  write
// param   owner      : STRING — run that takes the lease
// param   gone       : STRING? — owner that is known to be dead
// param   now        : STRING — wall clock, ISO 8601, UTC
// param   expires_at : STRING — ISO 8601, UTC
// param   latest     : STRING — ISO 8601, UTC; the latest end that a lease can have
// returns owner : STRING — owner after the call
MERGE (lease:Control {key: 'maintenance'})
SET lease.asked_at = $now
WITH lease, lease.owner IS NULL OR lease.owner = $gone
  OR lease.expires_at <= $now OR lease.expires_at > $latest AS free
SET
  lease.owner = CASE WHEN free THEN $owner ELSE lease.owner END,
  lease.expires_at = CASE WHEN free THEN $expires_at ELSE lease.expires_at END
RETURN lease.owner AS owner
