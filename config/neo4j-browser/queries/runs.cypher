// Maintenance: the latest runs, over all groups
MATCH (run:MaintenanceRun)
RETURN run.started_at AS started, run.status AS status, run.processed AS processed,
       run.transitioned AS transitioned, run.duration_seconds AS seconds, run.run_id AS run_id
ORDER BY started DESC LIMIT 25
