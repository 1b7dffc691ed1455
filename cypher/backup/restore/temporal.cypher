// Compute the temporal value that `row` describes for `key`.
//
// access  fragment
CASE row.temporals[key][0]
  WHEN 'datetime' THEN datetime(row.temporals[key][1])
  WHEN 'localdatetime' THEN localdatetime(row.temporals[key][1])
  WHEN 'date' THEN date(row.temporals[key][1])
  WHEN 'duration' THEN duration(row.temporals[key][1])
END
