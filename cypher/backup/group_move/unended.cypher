// Name a transaction that may still write and began before the last seconds; no row means none.
//
// access  read
// param   milliseconds : INTEGER
// param   writing      : LIST<STRING> — our statements that write
// returns statement : STRING — empty for another client
SHOW TRANSACTIONS YIELD metaData, elapsedTime, activeLockCount
WHERE elapsedTime.milliseconds >= $milliseconds
  AND (metaData.statement IN $writing
    OR (metaData.statement IS NULL AND activeLockCount > 0))
RETURN coalesce(metaData.statement, '') AS statement
LIMIT 1
