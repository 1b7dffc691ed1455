// Count the memories that wait for a classifier.
//
// access  read
// returns waiting : INTEGER
MATCH (m:Memory {classification_status: 'pending'})
WHERE m.soft_deleted_at IS NULL AND
  // include maintenance/eligible
RETURN count(m) AS waiting
