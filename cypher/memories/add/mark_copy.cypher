// Name on memory `m` of `row` the memory of which an import made it.
//
// Only copies are written to: setting an indexed property to null for each new memory makes the
// statement a quarter slower.
//
// access  fragment
FOREACH (_ IN
  CASE WHEN m.uuid = row.memory_id AND row.copied_from IS NOT NULL THEN [1] ELSE [] END |
  SET m.copied_from = row.copied_from
)
