// Bind `path`, the future changes of state of memory `m`: each with `from`, `to` and `at`, in ms.
//
// The forecast assumes that runs never pause, and that nothing else changes the memory. A policy by
// score takes all steps of an instant at once.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// param   decay : MAP — the settings of decay
// include decay/next_state
WITH *,
  CASE protection WHEN 'until' THEN datetime(fields.preserve_until).epochMillis END AS until_ms,
  CASE
    WHEN fields.held_until > $now THEN datetime(fields.held_until).epochMillis ELSE now_ms
  END AS run_ms
WITH *, CASE WHEN until_ms >= run_ms THEN until_ms + 1 ELSE run_ms END AS free_ms,
  CASE WHEN until_ms > anchor_ms THEN until_ms ELSE anchor_ms END AS fades_ms
WITH *, CASE
  WHEN target = fields.lifecycle_state
    OR curve.states = 'stepwise' AND protection IS NULL AND fields.obsolete_at IS NULL THEN []
  ELSE [{from: fields.lifecycle_state, to: target, at: run_ms}]
END AS first
WITH *, reduce(
  way = {state: coalesce(first[0].to, fields.lifecycle_state), at: free_ms, path: first},
  step IN CASE WHEN lasting IS NOT NULL OR fields.obsolete_at IS NOT NULL THEN [] ELSE
    // include decay/steps
  END |
  CASE WHEN step.from = way.state THEN head([
    at IN [fades_ms +
      // include decay/wait
    ] | CASE WHEN at IS NULL THEN {state: 'STAYS', at: way.at, path: way.path}
    WHEN at < way.at THEN {state: step.to, at: way.at,
                           path: way.path + {from: way.state, to: step.to, at: way.at}}
    ELSE {state: step.to, at: at, path: way.path + {from: way.state, to: step.to, at: at}} END
  ]) ELSE way END
) AS way
WITH *, CASE
  WHEN way.state = 'SOFT_DELETED' AND fields.lifecycle_state = 'SOFT_DELETED'
    THEN datetime(fields.soft_deleted_at).epochMillis
  WHEN way.state = 'SOFT_DELETED' THEN way.at
  WHEN way.state = 'EXPIRED' AND fields.obsolete_at IS NULL AND curve.states <> 'unchanged'
    THEN way.at
  WHEN way.state = 'EXPIRED' AND lasting IS NULL THEN head([
    at IN [datetime(fields.obsolete_at).epochMillis + $decay.obsolete_retention_ms + 1] |
    CASE WHEN at < free_ms THEN free_ms ELSE at END
  ])
END AS lost_ms
WITH *, reduce(
  steps = [],
  step IN way.path + CASE WHEN lost_ms IS NULL OR way.state = 'SOFT_DELETED' THEN []
    ELSE [{from: 'EXPIRED', to: 'SOFT_DELETED', at: lost_ms}] END |
  CASE WHEN curve.states = 'by_score' AND step.at = steps[-1].at
    THEN steps[..-1] + {from: steps[-1].from, to: step.to, at: step.at}
    ELSE steps + step END
) AS merged, lost_ms + $decay.soft_delete_retention_ms + 1 AS kept_ms
WITH *, merged + CASE
  WHEN kept_ms IS NULL THEN []
  ELSE [{from: 'SOFT_DELETED', to: 'PURGED',
         at: CASE WHEN kept_ms < run_ms THEN run_ms ELSE kept_ms END}]
END AS path
