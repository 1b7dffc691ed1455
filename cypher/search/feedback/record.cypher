// Count a judgement of a memory, and note it with the lesson of its question.
//
// A question has one lesson: the latest answer to it, and all judgements so far. Earlier versions
// read `lean`, a number that they learned; it has no effect.
//
// access  write
// param   group_id  : STRING — the tenant
// param   lesson    : MAP? — key, question, memory_ids, passages, measures, values, scales, quotes,
//                     instants, conversations and learned of the answer; null only counts
// param   memory_id : STRING
// param   useful    : BOOLEAN
// param   now       : STRING — ISO 8601, UTC
// returns useful         : INTEGER
// returns useless        : INTEGER
// returns judged_lessons : INTEGER
// returns used_lessons   : INTEGER
MERGE (c:Control {key: 'feedback|' + $group_id})
ON CREATE SET c.lean = 0.0
SET c.updated_at = $now
SET
  c.useful = coalesce(toIntegerOrNull(c.useful), 0) + CASE WHEN $useful THEN 1 ELSE 0 END,
  c.useless = coalesce(toIntegerOrNull(c.useless), 0) + CASE WHEN $useful THEN 0 ELSE 1 END
FOREACH (lesson IN CASE WHEN $lesson IS NULL THEN [] ELSE [$lesson] END |
  MERGE (c)-[:HAS_LESSON]->(l:Lesson {group_id: $group_id, key: lesson.key})
  SET
    l.at = $now,
    l.question = lesson.question,
    l.memory_ids = lesson.memory_ids,
    l.passages = lesson.passages,
    l.measures = lesson.measures,
    l.values = lesson.values,
    l.scales = lesson.scales,
    l.quotes = lesson.quotes,
    l.instants = lesson.instants,
    l.conversations = lesson.conversations,
    l.learned = lesson.learned,
    l.useful_ids = [id IN coalesce(l.useful_ids, []) WHERE id <> $memory_id]
      + CASE WHEN $useful THEN [$memory_id] ELSE [] END,
    l.useless_ids = [id IN coalesce(l.useless_ids, []) WHERE id <> $memory_id]
      + CASE WHEN $useful THEN [] ELSE [$memory_id] END
)
WITH c
// include fragments/lesson/useful
WITH c, count(CASE WHEN l.key IS NOT NULL THEN 1 END) AS judged_lessons,
     count(CASE WHEN l.key IS NULL THEN l END) AS used_lessons
RETURN c.useful AS useful, c.useless AS useless, judged_lessons, used_lessons
