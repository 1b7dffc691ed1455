// Store the scores of a list of memories whose state stays, and return how many it treated.
//
// Each memory is locked before it is read, as in stages/treat. A transaction takes a list of
// memories, because a subquery for each memory takes a sixth longer. One transaction at a time is
// enough: the run treats several ranges at once. Follows a list `memories`, and `unchanged`, a
// number of memories that need no lock.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// param   batch : INTEGER — memories in one transaction
UNWIND range(0, size(memories), $batch) AS first
WITH first, unchanged, memories[first..first + $batch] AS part
CALL (part) {
  UNWIND part AS m
  WITH m
  // include fragments/memory/lock
  // include decay/next_due
  // include fragments/maintenance/compared
  FOREACH (_ IN CASE WHEN stays AND differs THEN [1] ELSE [] END |
    SET m.decay_score = faded, m.last_decay_update = $now, m.next_due_at = due
  )
  RETURN count(CASE WHEN stays THEN 1 END) AS treated,
         count(CASE WHEN stays AND differs THEN 1 END) AS written,
         collect(CASE WHEN NOT stays THEN m.uuid END) AS left
} IN 1 CONCURRENT TRANSACTIONS OF 1 ROW
  ON ERROR CONTINUE REPORT STATUS AS status
RETURN coalesce(treated, 0) + CASE WHEN first = 0 THEN unchanged ELSE 0 END AS done,
       coalesce(written, 0) AS written,
       coalesce(left, [m IN part WHERE m.uuid IS NOT NULL | m.uuid]) AS left
