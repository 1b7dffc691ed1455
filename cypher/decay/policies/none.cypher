// Do not fade.
//
// access  fragment
{amplitude: 1.0, offset: 0.0, rate: 0.0, places: 3, states: 'unchanged', expires: false}
