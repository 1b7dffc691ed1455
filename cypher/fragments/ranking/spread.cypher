// Walk from the memories `anchors` breadth first: bind in `reached` each memory with its distance.
//
// The distance is the least number of relations. The variable `near` is kept.
//
// access  fragment
WITH near, anchors AS seen, anchors AS frontier, 0 AS distance,
     [x IN anchors | {m: x, distance: 0}] AS reached
// include fragments/ranking/spread_step
// include fragments/ranking/spread_step
// include fragments/ranking/spread_step
// include fragments/ranking/spread_step
// include fragments/ranking/spread_step
