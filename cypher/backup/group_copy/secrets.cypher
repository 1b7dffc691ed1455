// List the keys of tombstones and receipts.
//
// access  read
// returns kind   : STRING — tombstone_key or erasure_key
// returns secret : STRING
MATCH (c:Control)
WHERE c.key STARTS WITH 'tombstone_key' OR c.key = 'erasure' OR c.key STARTS WITH 'erasure_key|'
RETURN CASE WHEN c.key STARTS WITH 'tombstone_key' THEN 'tombstone_key' ELSE 'erasure_key' END
         AS kind,
       c.secret AS secret
ORDER BY kind, secret
