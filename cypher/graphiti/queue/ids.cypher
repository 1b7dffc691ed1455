// List the ids of the episode jobs of a group that begin with texts.
//
// access  read
// param   group_id : STRING — the tenant
// param   prefixes : LIST<STRING> — beginnings of ids
// param   limit    : INTEGER — ids of each
// returns prefix : STRING
// returns ids    : LIST<STRING> — in their order
UNWIND $prefixes AS prefix
CALL (prefix) {
  MATCH (job:EpisodeJob)
  USING INDEX job:EpisodeJob(job_id)
  WHERE job.job_id STARTS WITH prefix AND job.group_id = $group_id
  WITH job.job_id AS id ORDER BY id LIMIT $limit
  RETURN collect(id) AS ids
}
RETURN prefix, ids
