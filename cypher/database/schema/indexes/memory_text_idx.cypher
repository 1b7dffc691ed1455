// Find memories by their words.
//
// `group_key` stands in the index, so that a tenant's words are counted and matched alone.
//
// access  schema
// param   analyzer : STRING — a Neo4j full-text analyser
CREATE FULLTEXT INDEX memory_text_idx IF NOT EXISTS
FOR (n:Memory)
ON EACH [n.content, n.tags, n.group_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: $analyzer}}
