// Claim the next episode of a group, unless it is being read or waits for its next attempt.
//
// The write to the queue takes a lock, so the second of two concurrent claims sees the first. An
// episode whose lease expired on its last attempt fails, because reading it may have killed the
// process.
//
// access  write
// param   group_id    : STRING — the tenant
// param   owner       : STRING — process that claims it
// param   lease_until : STRING — end of the lease unless renewed, ISO 8601, UTC
// param   attempts    : INTEGER — attempts after which it fails
// param   now         : STRING — ISO 8601, UTC
// returns job : MAP
MATCH (queue:EpisodeQueue {group_id: $group_id})
SET queue.claimed_at = $now
WITH queue
CALL () {
  MATCH (spent:EpisodeJob {group_id: $group_id})
  WHERE spent.status = 'running' AND spent.lease_until <= $now AND spent.attempts >= $attempts
  SET spent.status = 'failed', spent.owner = null, spent.lease_until = null,
      spent.updated_at = $now, spent.error = 'The reader broke off attempt '
        + toString(spent.attempts) + ', the last: it was killed, or lost the database.'
}
WITH queue
MATCH (job:EpisodeJob {group_id: $group_id})
WHERE job.position > 0 AND job.status IN ['queued', 'running']
WITH job ORDER BY job.position LIMIT 1
WITH job WHERE (job.status = 'queued' AND job.not_before <= $now)
  OR (job.status = 'running' AND job.lease_until <= $now)
SET job.status = 'running', job.owner = $owner, job.lease_until = $lease_until,
    job.attempts = job.attempts + 1, job.updated_at = $now
WITH job {
  .job_id, .group_id, .attempts, .name, .content, .source, .source_description, .reference_time,
  .entity_types, .saga, .update_communities, .episode_id, origin: head([stored IN [job] |
    // include fragments/origin/stored
  ])
} AS job
RETURN job
