// Compute the temporal value, or the list of such values, that `row` describes for `key`.
//
// access  fragment
CASE row.temporals[key][1] IS :: LIST<STRING NOT NULL> NOT NULL
  WHEN true THEN CASE row.temporals[key][0]
    WHEN 'datetime' THEN [text IN row.temporals[key][1] | datetime(text)]
    WHEN 'localdatetime' THEN [text IN row.temporals[key][1] | localdatetime(text)]
    WHEN 'date' THEN [text IN row.temporals[key][1] | date(text)]
    WHEN 'duration' THEN [text IN row.temporals[key][1] | duration(text)]
  END
  ELSE CASE row.temporals[key][0]
    WHEN 'datetime' THEN datetime(row.temporals[key][1])
    WHEN 'localdatetime' THEN localdatetime(row.temporals[key][1])
    WHEN 'date' THEN date(row.temporals[key][1])
    WHEN 'duration' THEN duration(row.temporals[key][1])
  END
END
