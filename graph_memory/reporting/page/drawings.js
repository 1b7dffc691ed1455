// Pictures as SVG, drawn without a library.
const COLOURS = {
  ACTIVE: "#2a9d8f", DORMANT: "#8ab17d", ARCHIVED: "#e9c46a",
  EXPIRED: "#f4a261", SOFT_DELETED: "#e76f51", PURGED: "#9d9d9d",
};
const WIDTH = 640;
const HEIGHT = 320;

function picture(title, ...parts) {
  const shape = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": shown(title) };
  return make("figure", {}, draw("svg", shape, ...parts));
}

// Places from a circle on, the same each time: relations pull, and all memories push.
function layout(count, lines) {
  let at = Array.from({ length: count }, (_, n) => {
    const angle = (2 * Math.PI * n) / count;
    return n ? [Math.cos(angle), Math.sin(angle)] : [0, 0];
  });
  for (let step = 0.2; step > 0.002; step *= 0.97) at = moved(at, lines, step);
  return at;
}

function moved(at, lines, step) {
  const ideal = 1.4 / Math.sqrt(at.length);
  const force = at.map(([x, y]) => [-x, -y]);
  at.forEach((_, a) => at.forEach((_, b) => a !== b && push(force[a], at[a], at[b], (d) => ideal ** 2 / d ** 2)));
  for (const [a, b] of lines) {
    push(force[a], at[a], at[b], (d) => -d / ideal);
    push(force[b], at[b], at[a], (d) => -d / ideal);
  }
  // The first stays in the middle: the picture is about it.
  return at.map((place, n) => (n ? place.map((v, axis) => v + shortened(force[n], step)[axis]) : place));
}

function push(force, from, to, strength) {
  const [x, y] = [from[0] - to[0], from[1] - to[1]];
  const by = strength(Math.max(Math.hypot(x, y), 0.01));
  force[0] += by * x;
  force[1] += by * y;
}

function shortened([x, y], most) {
  const length = Math.max(Math.hypot(x, y), 1e-9);
  return [x, y].map((each) => (each / length) * Math.min(length, most));
}

function graphPicture(nodes, edges, open) {
  const place = new Map(nodes.map((node, n) => [node.memory_id, n]));
  const known = edges.filter((edge) => place.has(edge.from_id) && place.has(edge.to_id));
  const at = fitted(layout(nodes.length, known.map((edge) => [place.get(edge.from_id), place.get(edge.to_id)])));
  const lines = known.map((edge) => edgeLine(edge, at[place.get(edge.from_id)], at[place.get(edge.to_id)]));
  const dots = nodes.map((node, n) => nodeDot(node, at[n], n === 0, open));
  return picture("The memory and its neighbours", ...lines, ...dots);
}

function fitted(at) {
  const most = Math.max(...at.flat().map(Math.abs), 0.01);
  return at.map(([x, y]) => [WIDTH / 2 + (x / most) * WIDTH * 0.4, HEIGHT / 2 + (y / most) * HEIGHT * 0.4]);
}

function edgeLine(edge, [x1, y1], [x2, y2]) {
  return draw("line", { class: "edge", x1, y1, x2, y2, "stroke-width": 1 + 2 * (edge.strength ?? 0) },
    draw("title", {}, edge.relation_type ?? "related"));
}

function nodeDot(node, [x, y], first, open) {
  const go = () => open(node.memory_id);
  const keyed = (event) => event.key === "Enter" && go();
  const title = lead(node.content ?? node.memory_id, 240);
  const name = { class: "node", role: "button", tabindex: 0, "aria-label": title, onclick: go, onkeydown: keyed };
  return draw("g", name, draw("title", {}, title),
    draw("circle", { cx: x, cy: y, r: first ? 12 : 8, opacity: (node.lifecycle_state ?? "ACTIVE") === "ACTIVE" ? 1 : 0.5 }),
    draw("text", { x, y: y + 24, "text-anchor": "middle" }, lead(node.content ?? "", 22)));
}

// Retention is what the policy keeps: amplitude * e^(-rate * days) + offset, from the last use on.
function curvePicture(decay) {
  const { amplitude, offset, rate_per_day: rate } = decay.terms;
  const from = Date.parse(decay.held_until ?? decay.idle_from);
  const last = decay.next_changes.map((change) => Date.parse(change.at)).at(-1) ?? from;
  const days = Math.max((last - from) / 86_400_000, 60) * 1.1;
  const x = (time) => ((time - from) / 86_400_000 / days) * WIDTH;
  const y = (kept) => 20 + (1 - kept) * (HEIGHT - 50);
  const points = Array.from({ length: 101 }, (_, n) => (n * days) / 100)
    .map((n) => `${(n / days) * WIDTH},${y(Math.min(amplitude * Math.exp(-rate * n) + offset, 1))}`);
  return picture("How the memory fades if it is not used",
    draw("polyline", { class: "curve", points: points.join(" ") }),
    ...mark(x(Date.now()), "now", 0), ...decay.next_changes.flatMap((change, n) =>
      mark(x(Date.parse(change.at)), `${change.state} ${change.at.slice(0, 10)}`, n + 1)));
}

function mark(x, name, row) {
  const anchor = x > WIDTH / 2 ? "end" : "start";
  if (x < 0 || x > WIDTH) return [];
  return [draw("line", { class: "change", x1: x, x2: x, y1: 10, y2: HEIGHT - 30 }),
    draw("text", { class: "axis", x: x + (anchor === "end" ? -4 : 4), y: 20 + 16 * row, "text-anchor": anchor }, name)];
}

function forecastPicture(points) {
  const most = Math.max(...points.map((point) => sum(Object.values(point.states))), 1);
  const below = points.map(() => 0);
  const areas = Object.keys(COLOURS).map((state) => area(points, state, below, most));
  return picture("Memories by state over the coming time", ...areas,
    draw("text", { class: "axis", x: 0, y: HEIGHT - 6 }, day(points[0].at).slice(0, 10)),
    draw("text", { class: "axis", x: WIDTH, y: HEIGHT - 6, "text-anchor": "end" }, day(points.at(-1).at).slice(0, 10)));
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

function area(points, state, below, most) {
  const x = (n) => (n / (points.length - 1)) * WIDTH;
  const y = (count) => (HEIGHT - 30) * (1 - count / most);
  const bottom = below.map((count, n) => `${x(n)},${y(count)}`).reverse();
  points.forEach((point, n) => (below[n] += point.states[state] ?? 0));
  const top = below.map((count, n) => `${x(n)},${y(count)}`);
  return draw("polygon", { points: [...top, ...bottom].join(" "), fill: COLOURS[state] }, draw("title", {}, state));
}

const keptAt = (kept) => 20 + (1 - kept) * (HEIGHT - 50);

// The five stabilities are told apart by the numbers at the ends of their lines.
function curvesPicture(curves, days) {
  const line = ([stability, kept]) => {
    const x = (n) => (n / (kept.length - 1)) * (WIDTH - 20);
    const points = kept.map((each, n) => `${x(n)},${keptAt(each)}`).join(" ");
    return [draw("polyline", { class: "curve", points }),
      draw("text", { class: "axis", x: WIDTH - 14, y: keptAt(kept.at(-1)) + 4 }, stability)];
  };
  return picture("Retention curves by stability", ...Object.entries(curves).flatMap(line), ...axis(days));
}

function dotsPicture(dots) {
  const days = Math.max(...dots.map(([, , idle]) => idle), 1);
  const dot = ([state, importance, idle, kept]) => draw("circle", {
    cx: 10 + (idle / days) * (WIDTH - 20), cy: keptAt(kept), r: 1.5 + importance * 0.7, fill: COLOURS[state], opacity: 0.6,
  });
  return picture("Retention of each memory, by days unused", ...dots.map(dot), ...axis(Math.round(days)));
}

const axis = (days) => [
  draw("text", { class: "axis", x: 0, y: HEIGHT - 6 }, "0 days unused"),
  draw("text", { class: "axis", x: WIDTH, y: HEIGHT - 6, "text-anchor": "end" }, `${days} days`),
];
