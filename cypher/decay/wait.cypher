// Say after how many idle milliseconds the step `step` is taken on the curve `curve`.
//
// An expression; null means never, as does more than 10,000 years, which a number would not hold.
// The score passes `level` when what is kept falls to 1 - the
// least multiple of the rounding that is above it, less half of one: the curve is solved for that.
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
    CASE WHEN days > 3652425 OR step.days > 3652425 THEN null
      WHEN days <= step.days
      THEN toInteger(floor(step.days * 86400000)) + 1
      ELSE toInteger(ceil(days * 86400000)) END
  ])
])
