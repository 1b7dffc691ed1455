// Check that a call still holds the lease, or needs none.
//
// access  fragment
// param   owner : STRING? — the owner of the lease; null for a call that needs none
($owner IS NULL OR EXISTS { MATCH (:Control {key: 'maintenance', owner: $owner}) })
