// Count the archived memories that are not compressed yet.
//
// access  read
// returns unpacked : INTEGER
MATCH (m:Memory {packing_due: true})
WHERE m.lifecycle_state = 'ARCHIVED' AND m.content_gz IS NULL AND
  // include fragments/maintenance/in_scope
RETURN count(m) AS unpacked
