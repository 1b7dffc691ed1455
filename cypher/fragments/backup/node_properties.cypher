// Return the properties of node `n`; instants in UTC as a map of their text.
//
// An expression. The driver takes 25 microseconds to read an instant. An instant of another time
// zone stays as it is.
//
// access  fragment
n {.*,
  created_at: CASE WHEN NOT n.created_at IS :: ZONED DATETIME NOT NULL THEN n.created_at
    WHEN n.created_at.timezone <> 'Z' THEN n.created_at
    ELSE {utc: format(n.created_at, "yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSxxx")} END}
