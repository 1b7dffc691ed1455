// Hold the lease for longer.
//
// access  write
// param   owner      : STRING — who holds it
// param   expires_at : STRING — ISO 8601, UTC
MATCH (lease:Control {key: 'maintenance', owner: $owner})
SET lease.expires_at = $expires_at
