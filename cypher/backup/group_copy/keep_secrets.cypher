// Keep keys of tombstones and receipts of another server, beside those of this one.
//
// access  write
// param   secrets : LIST<MAP> — key and secret, sorted by key
UNWIND $secrets AS row
MERGE (c:Control {key: row.key})
SET c.secret = row.secret
