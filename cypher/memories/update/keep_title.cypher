// Give memory `m` its earlier `title` back if a part of its content was superseded.
//
// It keeps a title of its own that does not contain the part.
//
// access  fragment
// param   superseded : MAP? — part: superseded words; title: the title made of the content before
// param   titled     : BOOLEAN — whether the title is to change
FOREACH (_ IN CASE
    WHEN $superseded IS NOT NULL AND NOT $titled AND title <> $superseded.title
      AND NOT toLower(title) CONTAINS toLower($superseded.part) THEN [1] ELSE [] END |
  SET m.name = title
)
