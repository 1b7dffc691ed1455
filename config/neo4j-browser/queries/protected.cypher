// Protected: what does not fade, and why
WITH ['permanent', 'important', 'bookmark', 'favorite', 'pinned', 'preserved', 'decision',
      'architecture', 'critical', 'core', 'identity'] AS tags
MATCH (m:Memory {group_id: $group})
WITH m, [tag IN m.tags WHERE toLower(tag) IN tags] AS protecting
WHERE m.preserve_until IS NOT NULL OR size(protecting) > 0
   OR m.importance >= 8 AND m.stability >= 4
RETURN m.name AS memory, m.preserve_until AS until, protecting, m.importance AS importance,
       m.stability AS stability, m.uuid AS memory_id
ORDER BY until DESC, importance DESC LIMIT 100
