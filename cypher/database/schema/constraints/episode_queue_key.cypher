// Keep one queue of episodes a group.
//
// access  schema
CREATE CONSTRAINT episode_queue_key IF NOT EXISTS
FOR (n:EpisodeQueue)
REQUIRE n.group_id IS UNIQUE
