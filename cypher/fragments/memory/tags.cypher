// Return the tags of memory `m` as text; another client may have stored numbers, or a single tag.
//
// An expression.
//
// access  fragment
[tag IN CASE WHEN m.tags IS :: LIST<ANY> THEN coalesce(m.tags, []) ELSE [m.tags] END |
  toStringOrNull(tag)]
