// Keep the records of runs of another server, unless they are known, so that they can be undone.
//
// access  write
// param   runs : LIST<MAP> — run_id and properties, sorted by run_id
UNWIND $runs AS row
WITH row
WHERE NOT EXISTS { MATCH (:MaintenanceRun {run_id: row.run_id}) }
CREATE (run:MaintenanceRun {run_id: row.run_id})
FOREACH (key IN keys(row.properties) | SET run[key] = row.properties[key])
