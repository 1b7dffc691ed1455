// Queries to inspect a memory graph in Neo4j Browser; `graph-memory db shell-uri` says where it is.
// Drag this file onto the Browser's favourites. Each takes `:param group => 'default'` first.

// States: how many memories are where in their life
MATCH (m:Memory {group_id: $group})
RETURN m.lifecycle_state AS state, count(*) AS memories, round(avg(m.decay_score), 3) AS decay
ORDER BY memories DESC;

// Hot spots: what is used most
MATCH (m:Memory {group_id: $group})
RETURN m.name AS memory, m.access_count AS accesses, m.last_accessed_at AS last
ORDER BY accesses DESC LIMIT 25;

// Protected: what does not fade
MATCH (m:Memory {group_id: $group})
WHERE m.preserve_until IS NOT NULL OR (m.importance >= 8 AND m.stability >= 4)
   OR any(tag IN m.tags WHERE toLower(tag) IN ['permanent', 'important', 'pinned', 'preserved',
          'decision', 'architecture', 'critical', 'core', 'identity', 'bookmark', 'favorite'])
RETURN m LIMIT 100;

// Orphans: memories related to nothing
MATCH (m:Memory {group_id: $group})
WHERE NOT (m)--(:Memory)
RETURN m LIMIT 100;

// Neighbourhood: a memory and what it bears on
MATCH path = (m:Memory {group_id: $group})-[:RELATES_TO*1..2]-(:Memory)
WHERE m.name STARTS WITH $name
RETURN path LIMIT 100;

// Versions: what a memory said before
MATCH (m:Memory {group_id: $group})-[:HAS_VERSION]->(version:MemoryVersion)
RETURN m.name AS now, version.content AS before, version.expired_at AS until
ORDER BY until DESC LIMIT 50;
