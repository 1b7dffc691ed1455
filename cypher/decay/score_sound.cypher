// Leave out a memory `m` that another client has damaged, and bind `faded` like decay/score.
//
// access  fragment
WITH * WHERE
// include decay/sound
// include decay/score
