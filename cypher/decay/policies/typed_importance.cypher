// Fade by half in a time that the kind of memory has.
//
// access  fragment
// param   decay : MAP — typed_rates by memory type [1/d], typed_expires
// source  0.5 ^ (days / half-life of the type)
{
  amplitude: 1.0, offset: 0.0, places: 6, states: 'stepwise', expires: $decay.typed_expires,
  rate: coalesce($decay.typed_rates[m.memory_type], $decay.typed_rates.general)
}
