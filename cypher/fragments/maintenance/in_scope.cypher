// Check that a run may treat memory `m`: by its group, and by the share of ids that take part.
//
// access  fragment
// param   groups : LIST<STRING>? — null: all
($groups IS NULL OR m.group_id IN $groups) AND
// include fragments/maintenance/in_canary
