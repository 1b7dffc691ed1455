// The content of memory `m`: as it is, or in a list as it is compressed.
//
// An expression.
//
// access  fragment
CASE WHEN m.content_gz IS NULL THEN m.content ELSE [m.content_gz] END
