// Tell with what settings the indexes that searches use were made.
//
// access  read
// returns name         : STRING
// returns dimensions   : INTEGER — null of a full-text index, as are the next two
// returns quantization : STRING
// returns expansion    : FLOAT
// returns analyzer     : STRING — null of a vector index
SHOW INDEXES
YIELD name, type, options
WHERE type IN ['VECTOR', 'FULLTEXT']
WITH name, options.indexConfig AS config
RETURN name, config['vector.dimensions'] AS dimensions,
       config['vector.quantization.type'] AS quantization,
       config['vector.default_search_expansion_factor'] AS expansion,
       config['fulltext.analyzer'] AS analyzer
