// Say what a memory of entity `n` says by itself.
//
// An expression.
//
// access  fragment
n.name + CASE WHEN coalesce(n.summary, '') = '' THEN '' ELSE ': ' + n.summary END
