// Count the entities that are not memories yet, by group and labels, and count their defects.
//
// access  read
// param   groups     : LIST<STRING>? — only these; null for all; null for all
// param   dimensions : INTEGER — width of our embeddings
// param   owned      : LIST<STRING> — names of our properties
// returns group_id     : STRING?
// returns labels       : LIST<STRING>
// returns entities     : INTEGER
// returns unusable     : INTEGER — without an id, a name or an instant of creation
// returns no_summary   : INTEGER
// returns no_vector    : INTEGER — without a vector of the name
// returns other_width  : INTEGER — vectors of the name of another width
// returns with_ours    : INTEGER — with properties of our names
MATCH (n:Entity)
WHERE n.lifecycle_state IS NULL AND ($groups IS NULL OR n.group_id IN $groups)
WITH n.group_id AS group_id, [label IN labels(n) WHERE label <> 'Entity'] AS labels, n
RETURN group_id, labels, count(*) AS entities,
       count(CASE WHEN n.uuid IS NULL OR coalesce(trim(n.name), '') = ''
         OR NOT n.created_at IS :: ZONED DATETIME NOT NULL THEN 1 END) AS unusable,
       count(CASE WHEN n.summary IS NULL THEN 1 END) AS no_summary,
       count(CASE WHEN n.name_embedding IS NULL THEN 1 END) AS no_vector,
       count(CASE WHEN size(n.name_embedding) <> $dimensions THEN 1 END) AS other_width,
       count(CASE WHEN any(key IN keys(n) WHERE key IN $owned) THEN 1 END) AS with_ours
ORDER BY group_id, labels
