// Queue an episode behind the earlier ones of its group.
//
// The write to the queue takes a lock, so concurrent episodes get different places.
//
// access  write
// param   group_id : STRING — the tenant
// param   job      : MAP — properties, see below
// param   origin   : MAP — way_in, caller, authority, above and origin_id
// param   now      : STRING — ISO 8601, UTC
// returns job_id : STRING
MERGE (queue:EpisodeQueue {group_id: $group_id})
SET queue.last = coalesce(queue.last, 0) + 1
CREATE (job:EpisodeJob {
  job_id: $job.job_id, group_id: $group_id, position: queue.last, status: 'queued', attempts: 0,
  name: $job.name, content: $job.content, source: $job.source,
  source_description: $job.source_description, reference_time: $job.reference_time,
  entity_types: $job.entity_types, saga: $job.saga, update_communities: $job.update_communities,
  created_at: $now, updated_at: $now, not_before: $now,
  origin_authority: $origin.authority, origin_way_in: $origin.way_in,
  origin_caller: $origin.caller, origin_id: $origin.origin_id
})
RETURN job.job_id AS job_id
