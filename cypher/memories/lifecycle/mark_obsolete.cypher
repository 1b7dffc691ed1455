// Mark a memory obsolete for a reason; a memory that supersedes it ends its validity.
//
// access  write
// returns memory_id   : STRING
// returns state       : STRING
// returns obsolete_at : STRING?
// returns invalid_at  : STRING?
// returns refused     : STRING? — reason for no change: ended, ahead or settled
// returns holder      : STRING? — id of the current successor of the refused memory
// returns since       : STRING? — start of validity of the refused memory
// returns again       : BOOLEAN — whether the successor superseded the memory before
// include memories/lifecycle/superseded
RETURN m.uuid AS memory_id, m.lifecycle_state AS state, m.obsolete_at AS obsolete_at,
       m.invalid_at AS invalid_at, refused, holder, other.valid_at AS since,
       coalesce(again, false) AS again
