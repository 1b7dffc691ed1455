// Return the columns of the queued episode `job`.
//
// access  fragment
RETURN job.job_id AS job_id, job.group_id AS group_id, job.name AS name, job.status AS status,
       job.attempts AS attempts, job.error AS error, job.episode_id AS episode_id,
       job.entities AS entities, job.facts AS facts, job.created_at AS created_at,
       job.updated_at AS updated_at
