// Return the idle milliseconds after which the curve `curve` allows the step `step`.
//
// An expression; null means never, or after more than 10,000 years. The score is rounded. So it
// exceeds `level` as soon as it is within half a unit of the least multiple above `level`. The
// expression solves the curve for that instant.
//
// access  fragment
// source  amplitude * exp(-rate * days) + offset = kept
head([
  left IN [1.0 - (floor(step.level * 10 ^ curve.places + 1e-6) + 0.5) / 10 ^ curve.places
           - curve.offset] |
  head([
    days IN [CASE
      WHEN left >= curve.amplitude THEN 0.0
      WHEN left > 0.0 AND curve.rate > 0.0 THEN log(curve.amplitude / left) / curve.rate END] |
    CASE WHEN days > 3652500 THEN null
      WHEN days <= step.days THEN toInteger(floor(step.days * 86400000)) + 1
      ELSE toInteger(ceil(days * 86400000)) END
  ])
])
