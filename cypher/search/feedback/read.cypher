// Return the feedback of a group, and the number of its lessons.
//
// access  read
// param   group_id : STRING — the tenant
// returns useful         : INTEGER — number of memories that were judged useful
// returns useless        : INTEGER — number of memories that were judged not useful
// returns judged_lessons : INTEGER — lessons from judgements
// returns used_lessons   : INTEGER — lessons from use
// include fragments/lesson/useful
WITH count(CASE WHEN l.key IS NOT NULL THEN 1 END) AS judged_lessons,
     count(CASE WHEN l.key IS NULL THEN l END) AS used_lessons
OPTIONAL MATCH (c:Control {key: 'feedback|' + $group_id})
RETURN coalesce(toIntegerOrNull(c.useful), 0) AS useful,
       coalesce(toIntegerOrNull(c.useless), 0) AS useless, judged_lessons, used_lessons
