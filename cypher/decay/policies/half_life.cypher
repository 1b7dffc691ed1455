// Fade by half in a time that grows with stability, and with importance on the curve `scaled`.
//
// access  fragment
// param   decay : MAP — half_life_curve, half_life_rate and half_life_table_rates [1/d]
// source  curve scaled: ln 2 / (base days * stability / 3) * (6 - importance of 5) / 5;
//         curve table: ln 2 / days of the stability
{
  amplitude: 1.0, offset: 0.0, places: 3, states: 'stepwise', expires: true,
  rate: CASE $decay.half_life_curve
    WHEN 'table' THEN $decay.half_life_table_rates[m.stability - 1]
    ELSE $decay.half_life_rate * 3.0 / m.stability *
      CASE WHEN m.importance > 2.0 THEN 6.0 - m.importance / 2.0 ELSE 5.0 END / 5.0
  END
}
