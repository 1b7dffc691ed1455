// Return the key of the hashes; the first call stores the given one.
//
// access  write
// param   fresh : STRING — hexadecimal
// returns secret : STRING
MERGE (c:Control {key: 'tombstone_key'})
ON CREATE SET c.secret = $fresh
RETURN c.secret AS secret
