// Keep the id of a maintenance run unique.
//
// access  schema
CREATE CONSTRAINT maintenance_run_id_key IF NOT EXISTS
FOR (n:MaintenanceRun)
REQUIRE n.run_id IS UNIQUE
