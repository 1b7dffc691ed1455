// Describe memory or entity `e` of proposal `p`.
//
// access  fragment
CASE WHEN p.kind = 'same_as' THEN {
  entity_id: e.uuid, kind: CASE WHEN e:NamedEntity THEN e.kind ELSE 'name' END, content:
  // include learning/mentioned/spelled
} ELSE {memory_id: e.uuid, content: coalesce(e.content, e.summary, '')} END
