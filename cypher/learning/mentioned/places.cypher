// Join the mentions `r` of each memory `m` to one `mention` with all places, in their order.
//
// access  fragment
UNWIND range(0, size(r.starts) - 1) AS i
WITH m, r.text AS text, r.starts[i] AS start, r.ends[i] AS end ORDER BY m.uuid, start
WITH m, collect(text)[0] AS text, collect(start) AS starts, collect(end) AS ends
WITH m, {
  memory_id: m.uuid, lead: left(coalesce(toStringOrNull(m.name), ''), 80), text: text,
  starts: starts, ends: ends
} AS mention
