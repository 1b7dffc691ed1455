// Lock memory `m` until the end of the transaction, so that conditions checked after it stay true.
//
// A condition checked before the lock may be out of date. So the condition follows the lock, as a
// WHERE. Every property of a memory that was erased in between is null.
//
// access  fragment
SET m.created_at = m.created_at
WITH *
