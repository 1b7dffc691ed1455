// Keep the id of an episode job unique.
//
// access  schema
CREATE CONSTRAINT episode_job_key IF NOT EXISTS
FOR (n:EpisodeJob)
REQUIRE n.job_id IS UNIQUE
