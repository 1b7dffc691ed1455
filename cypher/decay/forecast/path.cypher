// Bind `path`, the future changes of state of memory `m`: each with `from`, `to` and `at`, in ms.
//
// The forecast assumes that runs never pause, and that nothing else changes the memory.
//
// access  fragment
// param   decay : MAP — the settings of decay
// include decay/next_state
WITH *, CASE protection
  WHEN 'until' THEN datetime(m.preserve_until).epochMillis + 1 ELSE now_ms
END AS free_ms
WITH *, CASE
  WHEN target = m.lifecycle_state OR curve.states = 'stepwise' AND protection IS NULL THEN []
  ELSE [{from: m.lifecycle_state, to: target, at: now_ms}]
END AS first
WITH *, reduce(
  way = {state: coalesce(first[0].to, m.lifecycle_state), at: free_ms, path: first},
  step IN CASE WHEN lasting IS NOT NULL OR m.obsolete_at IS NOT NULL THEN [] ELSE
    // include decay/steps
  END |
  CASE WHEN step.from = way.state THEN head([
    at IN [anchor_ms +
      // include decay/wait
    ] | CASE WHEN at IS NULL THEN {state: 'STAYS', at: way.at, path: way.path}
    WHEN at < way.at THEN {state: step.to, at: way.at,
                           path: way.path + {from: way.state, to: step.to, at: way.at}}
    ELSE {state: step.to, at: at, path: way.path + {from: way.state, to: step.to, at: at}} END
  ]) ELSE way END
) AS way
WITH *, CASE
  WHEN way.state = 'SOFT_DELETED' AND m.lifecycle_state = 'SOFT_DELETED'
    THEN datetime(m.soft_deleted_at).epochMillis
  WHEN way.state = 'SOFT_DELETED' THEN way.at
  WHEN way.state = 'EXPIRED' AND m.obsolete_at IS NULL AND curve.states <> 'unchanged' THEN way.at
  WHEN way.state = 'EXPIRED' AND lasting IS NULL THEN head([
    at IN [datetime(m.obsolete_at).epochMillis + $decay.obsolete_retention_ms + 1] |
    CASE WHEN at < free_ms THEN free_ms ELSE at END
  ])
END AS lost_ms
WITH *, way.path
  + CASE WHEN lost_ms IS NULL OR way.state = 'SOFT_DELETED' THEN []
    ELSE [{from: 'EXPIRED', to: 'SOFT_DELETED', at: lost_ms}] END
  + CASE WHEN lost_ms IS NULL THEN []
    ELSE [{from: 'SOFT_DELETED', to: 'PURGED', at: lost_ms + $decay.soft_delete_retention_ms + 1}]
    END AS path
