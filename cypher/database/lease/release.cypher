// Release the lease.
//
// access  write
// param   owner : STRING — current owner
MATCH (lease:Control {key: 'maintenance', owner: $owner})
SET lease.owner = null, lease.expires_at = null
