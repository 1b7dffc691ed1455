// A saved report holds the answers that it shows, and asks no server.
const saved = JSON.parse(byId("saved")?.textContent || "null");

function recorded(tool, { memory_id: id }) {
  const answer = saved.answers[tool]?.[id];
  if (!answer) throw new Error("This file holds no more about the memory. The page of a server does.");
  return answer;
}

function showSaved() {
  const nodes = saved.nodes.map((node, n) => ({ ...node, content: node.content && `${n + 1}. ${node.content}` }));
  const parts = {
    curves: () => [curvesPicture(saved.curves, saved.days)],
    dots: () => [dotsPicture(saved.dots), legend()],
    forecast: () => [forecastPicture(saved.forecast), legend()],
    graph: () => [graphPicture(nodes, saved.edges, (id) => reported(openSaved(id)))],
  };
  for (const [id, drawn] of Object.entries(parts)) byId(id)?.replaceChildren(...drawn());
}

async function openSaved(id) {
  const [memory, history] = [recorded("get_memory", { memory_id: id }), recorded("memory_history", { memory_id: id })];
  byId("life").replaceChildren(...life(memory, history.events));
  say(`Memory ${id.slice(0, 8)}: ${lead(memory.content)}`);
}
