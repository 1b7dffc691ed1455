// Take one step along relations from each memory of `frontier` to memories that are not in `seen`.
//
// Each memory on the way belongs to the group, has one of the states, and holds at the clocks. Of a
// memory with many relations the strongest are followed, so that a hub does not flood the result.
//
// access  fragment
// param   states   : LIST<STRING> — lifecycle states to return
// param   depth    : INTEGER — steps from the anchors, 0..5
// param   fan      : INTEGER — most relations of one memory that are compared
// param   strand   : INTEGER — most relations of one memory that are followed
// param   reach    : INTEGER — most memories that one step adds, the most strongly related first
CALL (seen, frontier, distance) {
  UNWIND CASE WHEN distance < $depth THEN frontier ELSE [] END AS a
  CALL (a) {
    MATCH (a)-[r:RELATES_TO]-(m:Memory)
    WHERE m.lifecycle_state IN $states
    AND
    // include fragments/memory/in_group
    AND
    // include fragments/time/relation_holds
    AND
    // include fragments/time/memory_holds
    WITH r, m
    LIMIT $fan
    RETURN m,
    // include fragments/relation/strength
    AS strength
    ORDER BY strength DESC, m.uuid
    LIMIT $strand
  }
  WITH m, max(strength) AS strength
  WHERE NOT m IN seen
  ORDER BY strength DESC, m.uuid
  LIMIT $reach
  RETURN collect(m) AS found
}
WITH near, seen + found AS seen, found AS frontier, distance + 1 AS distance,
     reached + [x IN found | {m: x, distance: distance + 1}] AS reached
