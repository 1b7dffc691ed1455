// Return the name of entity `e`: Graphiti's, or the spelling that most memories have.
//
// An expression. The first in alphabetical order stands for spellings of as many memories.
//
// access  fragment
CASE WHEN e:NamedEntity THEN coalesce(head(COLLECT {
  MATCH (e)<-[r:HAS_MENTION]-(m:Memory)
  WHERE m.soft_deleted_at IS NULL
  WITH r.text AS text, count(*) AS uses ORDER BY uses DESC, text LIMIT 1
  RETURN text
}), e.key) ELSE coalesce(toStringOrNull(e.name), '') END
