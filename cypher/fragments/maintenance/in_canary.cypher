// Check that memory `m` is in the share of ids that a run may treat.
//
// The last characters of an id decide, so an id is always in the share or always outside it.
//
// access  fragment
// param   canary : INTEGER [percent] — 0 to 100
($canary >= 100 OR reduce(
  place = 0, letter IN split(toLower(right(m.uuid, 8)), '') |
  (place * 31 + size(split('0123456789abcdefghijklmnopqrstuvwxyz', letter)[0])) % 9973
) % 100 < $canary)
