// Fade from the importance towards what accesses and relations keep, times the confidence.
//
// access  fragment
// param   decay : MAP — adaptive_base_decay_rate [1/d], adaptive_access_boost, and for degree
// source  (importance * exp(-rate * days) + ln(1 + accesses) * boost) * confidence
//         + ln(1 + degree) * degree boost
{
  amplitude: m.importance / 10.0 * coalesce(m.confidence, 1.0),
  offset: log(1 + m.access_count) * $decay.adaptive_access_boost * coalesce(m.confidence, 1.0)
    + CASE WHEN $decay.adaptive_degree_boost = 0 THEN 0.0
      ELSE log(1 + COUNT { (m)-[r:RELATES_TO]-(:Memory) WHERE r.expired_at IS NULL })
        * $decay.adaptive_degree_boost END,
  rate: coalesce(m.decay_rate, $decay.adaptive_base_decay_rate),
  places: 6, states: 'by_score', expires: true
}
