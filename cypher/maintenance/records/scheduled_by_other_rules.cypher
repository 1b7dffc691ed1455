// Check whether memories of some groups were scheduled by other rules since all were treated.
//
// access  read
// param   groups : LIST<STRING>? — null: all
// param   rules  : STRING — hash of the policies and their numbers
// returns otherwise : BOOLEAN
MATCH (mark:Control)
WHERE mark.key STARTS WITH 'rules:' AND mark.rules <> $rules
  AND ($groups IS NULL OR substring(mark.key, 6) IN $groups)
RETURN count(mark) > 0 AS otherwise
