// Tell who runs, and when that is over unless it goes on; no row if nobody does.
//
// access  read
// returns owner      : STRING
// returns expires_at : STRING
MATCH (lease:Control {key: 'maintenance'})
WHERE lease.owner IS NOT NULL
RETURN lease.owner AS owner, lease.expires_at AS expires_at
