// Mark an episode as read, and remove its text from the job, because the episode has it.
//
// access  write
// param   group_id : STRING — the tenant
// param   job_id   : STRING
// param   owner    : STRING — process that read it
// param   entities : INTEGER
// param   facts    : INTEGER
// param   now      : STRING — ISO 8601, UTC
MATCH (job:EpisodeJob {job_id: $job_id})
WHERE job.group_id = $group_id AND job.owner = $owner AND job.status = 'running'
SET job.status = 'done', job.error = null, job.content = null, job.entities = $entities,
    job.facts = $facts, job.owner = null, job.lease_until = null, job.updated_at = $now
