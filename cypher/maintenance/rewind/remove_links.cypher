// Erase the links that were made after an instant: one entity for two, turns, mentions.
//
// access  batch
// param   until : STRING — ISO 8601, UTC
// param   batch : INTEGER — links in one transaction
CALL () {
  MATCH ()-[link:SAME_AS]->()
  WHERE link.created_at > $until
  RETURN link
UNION ALL
  MATCH ()-[link:HAS_TURN]->()
  WHERE link.at > $until
  RETURN link
UNION ALL
  MATCH ()-[link:MENTIONS]->()
  WHERE link.created_at > datetime($until)
  RETURN link
}
CALL (link) {
  DELETE link
} IN TRANSACTIONS OF $batch ROWS
