// Lock memory `m`: what is asked of it from here on holds until the end.
//
// What was found by a condition may have changed before its writer gets the lock. So the condition
// follows this, as a WHERE; of one that was erased meanwhile every property is null.
//
// access  fragment
SET m.created_at = m.created_at
WITH *
