// Find facts by their words.
//
// `group_key` stands in the index, so that a tenant's words are counted and matched alone.
//
// access  schema
// param   analyzer : STRING — a Neo4j full-text analyser
CREATE FULLTEXT INDEX fact_text_idx IF NOT EXISTS
FOR ()-[r:RELATES_TO]-()
ON EACH [r.fact, r.name, r.group_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: $analyzer}}
