// List the clusters of a group, the largest first.
//
// access  read
// param   limit : INTEGER — clusters at most
// returns cluster_id  : STRING
// returns label       : STRING? — null if the most central memory was deleted since
// returns size        : INTEGER — memories
// returns central_id  : STRING?
// returns central     : STRING? — title of the most central memory
// returns states      : MAP — memories by state
// returns oldest      : ZONED DATETIME — creation of the oldest memory
// returns newest      : ZONED DATETIME — creation of the newest memory
// include learning/clustered/chosen
ORDER BY size DESC, cluster_id LIMIT $limit
RETURN cluster_id, toStringOrNull(central.cluster_label) AS label, size,
       central.uuid AS central_id, left(toStringOrNull(central.name), 80) AS central,
       {ACTIVE: active, DORMANT: dormant, ARCHIVED: archived, EXPIRED: expired} AS states,
       oldest, newest
ORDER BY size DESC, cluster_id
