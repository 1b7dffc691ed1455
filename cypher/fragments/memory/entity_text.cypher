// Return the text of the memory of entity `n`: its name, and its summary if it has one.
//
// An expression.
//
// access  fragment
n.name + CASE WHEN coalesce(n.summary, '') = '' THEN '' ELSE ': ' + n.summary END
