// Describe the longest running transaction that holds locks and waits for none.
//
// A user without privileges sees own transactions only.
//
// access  read
// returns statement : STRING? — name of our statement; null for another client
// returns seconds   : FLOAT — how long it has run
SHOW TRANSACTIONS YIELD metaData, elapsedTime, activeLockCount, status
WHERE activeLockCount > 0 AND NOT status STARTS WITH 'Blocked'
RETURN metaData.statement AS statement, elapsedTime.milliseconds / 1000.0 AS seconds
ORDER BY seconds DESC
LIMIT 1
