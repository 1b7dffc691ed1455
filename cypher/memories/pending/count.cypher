// Count the writes of a group that wait for a review.
//
// access  read
// returns waiting : INTEGER
// include memories/pending/chosen
RETURN count(p) AS waiting
