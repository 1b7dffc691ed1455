// Return the origin of `stored`: way_in, caller, authority and origin_id; null if it has none.
//
// An expression.
//
// access  fragment
CASE WHEN stored.origin_way_in IS NOT NULL AND stored.origin_caller IS NOT NULL THEN {
  way_in: stored.origin_way_in, caller: stored.origin_caller,
  authority: stored.origin_authority, origin_id: stored.origin_id
} END
