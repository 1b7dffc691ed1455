// List the writes of a group that wait for a review, the earliest first.
//
// access  read
// param   limit : INTEGER
// returns pending_id     : STRING
// returns kind           : STRING — add, update or episode
// returns content        : STRING
// returns memory_id      : STRING? — the memory that an update changes
// returns rule           : STRING
// returns created_at     : STRING — ISO 8601, UTC
// returns origin         : MAP
// returns arguments_json : STRING
// include memories/pending/chosen
// include memories/pending/described
ORDER BY created_at, pending_id
LIMIT $limit
