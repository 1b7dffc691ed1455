// Return the content of memory `m`: plain text, or a list of one compressed text.
//
// An expression.
//
// access  fragment
CASE WHEN m.content_gz IS NULL THEN m.content ELSE [m.content_gz] END
