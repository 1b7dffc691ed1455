// Count the memories `m` whose transaction succeeded, and list the others, by `status`.
//
// access  fragment
WITH count(CASE WHEN status.errorMessage IS NULL THEN 1 END) AS done, collect(
  CASE WHEN status.errorMessage IS NOT NULL
    THEN {memory_id: m.uuid, reason: status.errorMessage} END
) AS failed
