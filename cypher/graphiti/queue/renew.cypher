// Extend the lease of an episode that is being read.
//
// access  write
// param   group_id    : STRING — the tenant
// param   job_id      : STRING
// param   owner       : STRING — process that reads it
// param   lease_until : STRING — ISO 8601, UTC
MATCH (job:EpisodeJob {job_id: $job_id})
WHERE job.group_id = $group_id AND job.owner = $owner AND job.status = 'running'
SET job.lease_until = $lease_until
