// Return the entities `one` as a row: the first names them, the others are its aliases.
//
// An alias that no memory mentions now is left out.
//
// access  fragment
CALL (one) {
  UNWIND range(0, size(one) - 1) AS place
  WITH one[place] AS e, place
  WHERE place = 0 OR
  // include learning/mentioned/live
  WITH place, {
    entity_id: e.uuid, kind: CASE WHEN e:NamedEntity THEN e.kind ELSE 'name' END, name:
    // include learning/mentioned/spelled
  } AS form
  ORDER BY place
  RETURN collect(form) AS forms
}
RETURN forms[0].entity_id AS entity_id, forms[0].kind AS kind, forms[0].name AS name,
       forms[1..] AS aliases, memories, mentions
ORDER BY memories DESC, toLower(name), entity_id
