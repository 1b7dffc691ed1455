// Lock memory `m` until the end of the transaction, so that conditions checked after it stay true.
//
// A condition checked before the lock may be out of date. So the condition follows the lock, as a
// WHERE. Every property of a memory that was erased in between is null.
//
// Neo4j locks a node before it removes a property, also one that the node does not have. `edge_key`
// belongs to relations. A constraint names it, so Neo4j knows the key; for an unknown key it would
// take no lock. Setting a property to its own value takes three times as long.
//
// access  fragment
REMOVE m.edge_key
WITH *
