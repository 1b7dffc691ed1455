// Search, the clocks, the graph around a memory, and its life. Reads count no access.
const YEAR = 365 * 86_400_000;
let earliest = Date.now() - YEAR;
let opened = null;

// The end of a slider is the present, which moves: it gives no argument.
function clock(name) {
  const slider = byId(name);
  if (slider.value === slider.max) return undefined;
  return new Date(earliest + (Date.now() - earliest) * (slider.value / slider.max)).toISOString();
}

const clocks = () => ({ as_of: clock("as_of"), known_at: clock("known_at") });

function showClocks() {
  for (const name of ["as_of", "known_at"]) {
    const text = clock(name) ? day(clock(name)) : "now";
    byId(`${name}_shown`).textContent = text;
    byId(name).setAttribute("aria-valuetext", text);
  }
}

function reachBackTo(instant) {
  earliest = Math.min(earliest, Date.parse(instant) - 86_400_000);
  showClocks();
}

async function search() {
  const query = byId("query").value.trim();
  if (!query) return;
  const found = await call("search_memory", { query, limit: 20, detail: "full", counted: false, ...clocks() });
  byId("results").replaceChildren(...found.results.map(result));
  say(`${found.results.length} found. Is the answer known: ${found.known}. ${found.known_reason ?? ""}`);
}

function result(hit) {
  const why = Object.entries(hit.components ?? {}).map(([name, value]) => [name, value.toFixed(3)]);
  return make("li", {}, opener(hit), make("br"),
    make("meter", { min: 0, max: 1, value: hit.relevance ?? 0, "aria-label": "relevance" }),
    make("small", {}, ` relevance ${percent(hit.relevance ?? 0)}, score ${hit.score.toFixed(3)}, ${hit.lifecycle_state}`),
    make("details", {}, make("summary", {}, "Why"), table(["component", "value"], why)));
}

function opener(memory) {
  const go = () => reported(openMemory(memory.memory_id));
  return make("button", { class: "plain", type: "button", onclick: go }, words(lead(memory.content, 240)));
}

async function openMemory(id) {
  const at = clocks();
  opened = id;
  const [memory, walked, history] = await Promise.all([
    call("get_memory", { memory_id: id, detail: "full", counted: false, ...at }),
    call("memory_traverse", { start_memory_id: id, max_depth: 2, max_nodes: 40, direction: "both", detail: "full", counted: false, ...at }),
    call("memory_history", { memory_id: id }),
  ]);
  if (opened !== id) return; // another one was opened while this one loaded
  reachBackTo(memory.valid_at < memory.created_at ? memory.valid_at : memory.created_at);
  byId("around").replaceChildren(...around(memory, walked));
  byId("life").replaceChildren(...life(memory, history.events));
  say(`Memory ${id.slice(0, 8)}: ${lead(memory.content)}`);
}

function around(memory, walked) {
  const open = (id) => reported(openMemory(id));
  const near = walked.nodes.map((node) => make("li", {}, opener(node), make("small", {}, ` depth ${node.depth}`)));
  return [graphPicture([memory, ...walked.nodes], walked.edges, open), make("ul", {}, ...near)];
}

function life(memory, events) {
  const parts = [make("blockquote", {}, words(memory.content)), facts(memory)];
  if (memory.decay) {
    const ahead = memory.decay.next_changes.map((change) => [day(change.at), change.state]);
    parts.push(make("h3", {}, "Fading"), curvePicture(memory.decay), make("p", {}, memory.decay.explanation),
      make("h3", {}, "Coming changes"), table(["on", "state"], ahead));
  }
  const past = events.map((event) => [day(event.at), event.kind, event.detail && words(event.detail), event.by]);
  return [...parts, make("h3", {}, "Past"), table(["on", "event", "detail", "by"], past)];
}

function facts(memory) {
  const origin = memory.origin ?? {};
  return listed([
    ["Id", memory.memory_id], ["Type", memory.memory_type], ["Tags", memory.tags.join(", ")],
    ["State", memory.lifecycle_state], ["Importance", memory.importance],
    ["True from", day(memory.valid_at)], ["True until", day(memory.invalid_at)],
    ["Way in", origin.way_in], ["Caller", origin.caller], ["Authority", origin.authority],
    ["Part of", origin.origin_id],
  ]);
}
