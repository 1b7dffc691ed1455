// Give the lease back.
//
// access  write
// param   owner : STRING — who holds it
MATCH (lease:Control {key: 'maintenance', owner: $owner})
SET lease.owner = null, lease.expires_at = null
