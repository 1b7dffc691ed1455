// List the ids that begin with texts of the runs that treated a group.
//
// access  read
// param   group_id : STRING? — null for the runs of all groups
// param   prefixes : LIST<STRING> — beginnings of ids
// param   limit    : INTEGER — ids of each
// returns prefix : STRING
// returns ids    : LIST<STRING> — in their order
UNWIND $prefixes AS prefix
CALL (prefix) {
  MATCH (run:MaintenanceRun)
  USING INDEX run:MaintenanceRun(run_id)
  WHERE run.run_id STARTS WITH prefix
    AND ($group_id IS NULL OR run.groups IS NULL OR $group_id IN run.groups)
  WITH run.run_id AS id ORDER BY id LIMIT $limit
  RETURN collect(id) AS ids
}
RETURN prefix, ids
