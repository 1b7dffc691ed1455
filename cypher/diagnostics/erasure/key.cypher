// Return the key of the receipts of this database; the first call stores the one given.
//
// access  write
// param   secret : STRING — 64 hexadecimal digits, for a database without a key
// returns secret : STRING
MERGE (c:Control {key: 'erasure'})
ON CREATE SET c.secret = $secret
RETURN c.secret AS secret
