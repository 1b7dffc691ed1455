// Keep the memories `m` whose validity has not ended.
//
// access  fragment
// param   now : STRING — ISO 8601, UTC
    WHERE m.invalid_at IS NULL OR m.invalid_at > $now
