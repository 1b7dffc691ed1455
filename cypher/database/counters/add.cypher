// Add to counters; they only grow.
//
// access  write
// param   totals : LIST<MAP> — name and value; sorted by name
UNWIND $totals AS row
MERGE (total:Control {key: 'total:' + row.name})
SET total.value = coalesce(total.value, 0) + row.value
