// Keep the memories `m` that pass the caller's filters and clocks; a null filter passes all.
//
// access  fragment
// param   types      : LIST<STRING>? — memory types
// param   tags       : LIST<STRING>? — any of these, in lower case
// param   date_from  : STRING? — earliest creation, ISO 8601, UTC
// param   date_to    : STRING? — latest creation, ISO 8601, UTC
// param   project_id : STRING?
// param   authorities : LIST<STRING>? — any of these
WHERE ($types IS NULL OR m.memory_type IN $types)
  AND ($tags IS NULL OR any(tag IN
    // include fragments/memory/tags
    WHERE toLower(tag) IN $tags))
  AND ($date_from IS NULL OR m.created_at >= datetime($date_from))
  AND ($date_to IS NULL OR m.created_at <= datetime($date_to))
  AND ($project_id IS NULL OR m.project_id = $project_id)
  AND ($authorities IS NULL OR m.origin_authority IN $authorities)
  AND
// include fragments/time/memory_holds
