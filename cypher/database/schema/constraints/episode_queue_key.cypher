// Keep the queue of episodes of a group unique.
//
// access  schema
CREATE CONSTRAINT episode_queue_key IF NOT EXISTS
FOR (n:EpisodeQueue)
REQUIRE n.group_id IS UNIQUE
