// Convert the instants of memory `m` to text of fixed width, which sorts as the instants do.
//
// access  fragment
WITH m, [key IN ['valid_at', 'invalid_at'] WHERE m[key] IS :: ZONED DATETIME NOT NULL] AS native
FOREACH (key IN native |
  SET m[key] = format(datetime({epochMillis: m[key].epochMillis}), "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
)
