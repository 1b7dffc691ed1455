// Elements of the page. Words of memories become text nodes only, so that none of them is markup.
const byId = (id) => document.getElementById(id);

// Controls that reorder or hide text would let a memory look like another one.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

function shown(text) {
  const code = (sign) => sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return String(text ?? "").replace(HIDDEN, (sign) => `⟨U+${code(sign)}⟩`);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.map((child) => (child instanceof Node ? child : shown(child))));
  return element;
}

function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

// The text of a memory; it may be of any direction, and must not turn what stands beside it.
const words = (text) => make("bdi", { dir: "auto" }, text);

const day = (instant) => (instant ? instant.slice(0, 16).replace("T", " ") : "");

const percent = (share) => `${Math.round(100 * share)} %`;

function lead(text, length = 80) {
  const line = shown(text).replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length)} …`;
}

function say(sentence) {
  byId("said").textContent = shown(sentence);
}

function table(columns, rows) {
  const cell = (value, place) => make("td", { "data-label": columns[place] }, value ?? "");
  const head = make("tr", {}, ...columns.map((each) => make("th", { scope: "col" }, each)));
  const body = rows.map((row) => make("tr", {}, ...row.map(cell)));
  return rows.length
    ? make("table", {}, make("thead", {}, head), make("tbody", {}, ...body))
    : make("p", {}, "None.");
}

function listed(pairs) {
  const given = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return make("dl", {}, ...given.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}
