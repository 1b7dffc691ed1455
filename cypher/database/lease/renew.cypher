// Extend the lease.
//
// access  write
// param   owner      : STRING — current owner
// param   expires_at : STRING — ISO 8601, UTC
MATCH (lease:Control {key: 'maintenance', owner: $owner})
SET lease.expires_at = $expires_at
