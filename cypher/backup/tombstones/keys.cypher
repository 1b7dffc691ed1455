// Bring back the keys of hashes that a restore has set aside, beside those of the backup.
//
// access  write
// param   fresh : STRING — random, for a second key
MATCH (kept:KeptTombstone)
WHERE kept.secret IS NOT NULL
WITH kept,
  EXISTS { MATCH (c:Control) WHERE c.key STARTS WITH 'tombstone_key' AND c.secret = kept.secret }
  AS known,
  EXISTS { MATCH (c:Control {key: 'tombstone_key'}) } AS taken
FOREACH (_ IN CASE WHEN known THEN [1] ELSE [] END | DELETE kept)
FOREACH (_ IN CASE WHEN known THEN [] ELSE [1] END |
  SET kept.key = CASE
    WHEN taken AND kept.key = 'tombstone_key' THEN 'tombstone_key|' + $fresh
    ELSE kept.key END
  SET kept:Control
  REMOVE kept:KeptTombstone
)
