// Create relationships as a backup describes them; none if the lease was lost.
//
// access  write
// param   edges : LIST<MAP> — from_id and to_id in this database, type, properties, vectors as
//                 float32, temporals as [type, text or texts]
// returns made : INTEGER
UNWIND CASE WHEN
  // include fragments/lease/held
THEN $edges ELSE [] END AS row
MATCH (a) WHERE elementId(a) = row.from_id
MATCH (b) WHERE elementId(b) = row.to_id
CREATE (a)-[r:$(row.type)]->(b)
FOREACH (key IN keys(row.properties) | SET r[key] = row.properties[key])
FOREACH (key IN keys(row.temporals) | SET r[key] =
// include backup/restore/temporal
)
WITH r, row
CALL (r, row) {
  UNWIND keys(row.vectors) AS key
  CALL db.create.setRelationshipVectorProperty(r, key, toFloatList(row.vectors[key]))
}
RETURN count(r) AS made
