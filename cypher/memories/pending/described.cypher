// Return write `p`, which waits for a review.
//
// access  fragment
RETURN p.uuid AS pending_id, p.kind AS kind, p.content AS content, p.memory_id AS memory_id,
       p.rule AS rule, p.created_at AS created_at, {
         way_in: p.origin_way_in, caller: p.origin_caller, authority: p.origin_authority,
         origin_id: p.origin_id
       } AS origin, p.arguments_json AS arguments_json
