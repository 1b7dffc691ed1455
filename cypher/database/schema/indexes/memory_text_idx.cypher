// Find memories by their words.
//
// The index includes `group_key`, so that a search matches and counts words of one group only.
//
// access  schema
// param   analyzer : STRING — a Neo4j full-text analyser
CREATE FULLTEXT INDEX memory_text_idx IF NOT EXISTS
FOR (n:Memory)
ON EACH [n.content, n.tags, n.group_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: $analyzer}}
