// Return the options of the vector and full-text indexes.
//
// access  read
// returns name         : STRING
// returns quantization : STRING — null for a full-text index
// returns expansion    : FLOAT — null for a full-text index
// returns analyzer     : STRING — null for a vector index
SHOW INDEXES
YIELD name, type, options
WHERE type IN ['VECTOR', 'FULLTEXT']
WITH name, options.indexConfig AS config
RETURN name, config['vector.quantization.type'] AS quantization,
       config['vector.default_search_expansion_factor'] AS expansion,
       config['fulltext.analyzer'] AS analyzer
