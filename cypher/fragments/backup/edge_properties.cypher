// Return the properties of relationship `r`; instants in UTC as a map of their text.
//
// An expression. The driver takes 25 microseconds to read an instant. An instant of another time
// zone stays as it is.
//
// access  fragment
r {.*,
  created_at: CASE WHEN NOT r.created_at IS :: ZONED DATETIME NOT NULL THEN r.created_at
    WHEN r.created_at.timezone <> 'Z' THEN r.created_at
    ELSE {utc: format(r.created_at, "yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSxxx")} END,
  valid_at: CASE WHEN NOT r.valid_at IS :: ZONED DATETIME NOT NULL THEN r.valid_at
    WHEN r.valid_at.timezone <> 'Z' THEN r.valid_at
    ELSE {utc: format(r.valid_at, "yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSxxx")} END,
  invalid_at: CASE WHEN NOT r.invalid_at IS :: ZONED DATETIME NOT NULL THEN r.invalid_at
    WHEN r.invalid_at.timezone <> 'Z' THEN r.invalid_at
    ELSE {utc: format(r.invalid_at, "yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSxxx")} END,
  expired_at: CASE WHEN NOT r.expired_at IS :: ZONED DATETIME NOT NULL THEN r.expired_at
    WHEN r.expired_at.timezone <> 'Z' THEN r.expired_at
    ELSE {utc: format(r.expired_at, "yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSxxx")} END}
