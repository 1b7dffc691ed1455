// Check that node `n` belongs to a group, whatever its labels, and is not a receipt.
//
// Receipts hold ids, and no texts.
//
// access  fragment
// include fragments/group/belongs
AND NOT n:Control
