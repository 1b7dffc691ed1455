// Find facts by their words.
//
// The index includes `group_key`, so that a search matches and counts words of one group only.
//
// access  schema
// param   analyzer : STRING — a Neo4j full-text analyser
CREATE FULLTEXT INDEX fact_text_idx IF NOT EXISTS
FOR ()-[r:RELATES_TO]-()
ON EACH [r.fact, r.name, r.group_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: $analyzer}}
