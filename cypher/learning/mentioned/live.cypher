// Check that a memory that is not deleted mentions entity `e`.
//
// access  fragment
EXISTS { (e)<-[:HAS_MENTION]-(by:Memory) WHERE by.soft_deleted_at IS NULL }
