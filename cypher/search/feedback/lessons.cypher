// Stream the lessons of a group for which some memories were useful.
//
// access  stream
// returns at            : STRING — ISO 8601, UTC
// returns question      : STRING
// returns memory_ids    : LIST<STRING> — the answer, best first
// returns measures      : LIST<STRING> — names
// returns values        : LIST<FLOAT> [1] — the measures of the first memory first
// returns scales        : LIST<FLOAT> [1] — share of the configured weight of each measure
// returns quotes        : LIST<FLOAT> [1]
// returns instants          : LIST<FLOAT> [s] — instants of the memories
// returns conversations : LIST<INTEGER>
// returns learned       : BOOLEAN? — ranked with learned weights; null if unknown
// returns useful_ids    : LIST<STRING>
// returns useless_ids   : LIST<STRING>
// include fragments/lesson/useful
WITH l WHERE l IS NOT NULL
RETURN l.at AS at, l.question AS question, l.memory_ids AS memory_ids, l.measures AS measures,
       l.values AS values, l.scales AS scales, l.quotes AS quotes, l.instants AS instants,
       l.conversations AS conversations, l.learned AS learned, l.useful_ids AS useful_ids,
       l.useless_ids AS useless_ids
