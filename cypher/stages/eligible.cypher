// Tell whether a run may touch memory `m`: by its group, and by the share of ids that take part.
//
// An id is in or out for good: its last letters give it one of a hundred places.
//
// access  fragment
// param   groups : LIST<STRING>? — null: all
// param   canary : INTEGER [percent] — 0 to 100
    ($groups IS NULL OR m.group_id IN $groups)
AND ($canary >= 100 OR reduce(
      place = 0, letter IN split(toLower(right(m.uuid, 8)), '') |
      (place * 31 + size(split('0123456789abcdefghijklmnopqrstuvwxyz', letter)[0])) % 9973
    ) % 100 < $canary)
