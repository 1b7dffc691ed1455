// Return the owner of the lease and its expiry; no row without a lease.
//
// access  read
// returns owner      : STRING
// returns expires_at : STRING
MATCH (lease:Control {key: 'maintenance'})
WHERE lease.owner IS NOT NULL
RETURN lease.owner AS owner, lease.expires_at AS expires_at
