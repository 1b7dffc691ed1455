// Remove derived texts that repeat erased ones: cluster labels, their records, facts and questions.
//
// A fact becomes the name of its relation, and loses its vector. A session loses the questions with
// erased words; with another revision, no process writes them back.
//
// access  write
// param   group_id : STRING — the tenant
// param   labelled : LIST<STRING> — element ids of memories whose cluster's label goes
// param   records  : LIST<STRING> — element ids of records of clusters
// param   facts    : LIST<STRING> — element ids of relations
// param   sessions : LIST<STRING> — element ids of sessions
// param   events   : LIST<STRING> — items of their histories, with erased words
// param   revision : STRING — new revision of the sessions
CALL () {
  UNWIND $labelled AS id
  MATCH (m) WHERE elementId(m) = id
  WITH m WHERE m.group_id = $group_id
  SET m.cluster_label = null
}
CALL () {
  UNWIND $records AS id
  MATCH (change) WHERE elementId(change) = id
  WITH change WHERE change.group_id = $group_id AND change.stage = 'clusters'
  SET change.before = [each IN change.before | split(each, '|')[0]],
      change.after = [each IN change.after | split(each, '|')[0]]
}
CALL () {
  UNWIND $facts AS id
  MATCH ()-[r]->() WHERE elementId(r) = id
  WITH r WHERE r.group_id = $group_id
  SET r.fact = r.name, r.fact_embedding = null
}
CALL () {
  UNWIND $sessions AS id
  MATCH (s) WHERE elementId(s) = id
  WITH s WHERE s.group_id = $group_id
  SET s.history = [event IN s.history WHERE NOT event IN $events],
      s.revision = $revision
}
