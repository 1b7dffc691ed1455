// Create nodes as a backup describes them; none if the lease was lost.
//
// access  write
// param   nodes : LIST<MAP> — id, labels, properties, vectors as float32, temporals as
//                 [type, text or texts]
// returns id         : INTEGER — in the backup
// returns element_id : STRING — in this database
UNWIND CASE WHEN
  // include fragments/lease/held
THEN $nodes ELSE [] END AS row
CREATE (n:$(row.labels))
FOREACH (key IN keys(row.properties) | SET n[key] = row.properties[key])
FOREACH (key IN keys(row.temporals) | SET n[key] =
// include backup/restore/temporal
)
WITH n, row
CALL (n, row) {
  UNWIND keys(row.vectors) AS key
  CALL db.create.setNodeVectorProperty(n, key, toFloatList(row.vectors[key]))
}
RETURN row.id AS id, elementId(n) AS element_id
