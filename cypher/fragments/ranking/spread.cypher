// Spread from the memories `anchors`: bind in `reached` each memory met, with its distance.
//
// Keeps `near` beside it. Breadth first, so the distance is the least number of relations.
//
// access  fragment
WITH near, anchors AS seen, anchors AS frontier, 0 AS distance,
     [x IN anchors | {m: x, distance: 0}] AS reached
// include fragments/ranking/spread_step
// include fragments/ranking/spread_step
// include fragments/ranking/spread_step
// include fragments/ranking/spread_step
// include fragments/ranking/spread_step
