// Calls of tools. The page served at /app sends them to its server; an MCP App, to its host.
const hosted = window.parent !== window;

// In memory only: neither an address, a cookie nor a storage of the browser ever holds it.
let token = "";
let lastId = 0;
const waiting = new Map();

async function call(tool, given = {}) {
  const group = byId("group").value.trim();
  const args = group ? { ...given, group_id: group } : given;
  const answer = await request("tools/call", { name: tool, arguments: args });
  if (answer.isError) throw new Error(answer.content[0].text);
  return answer.structuredContent;
}

const request = (method, params) => (hosted ? throughHost : overHttp)(method, params);

async function overHttp(method, params) {
  const response = await fetch("app/mcp", {
    method: "POST",
    credentials: "omit",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-11-25",
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params }),
  });
  if (response.status === 401) askForToken();
  if (!response.ok) throw new Error(REFUSALS[response.status] ?? `The server answered ${response.status}.`);
  return resultOf(await response.json());
}

const REFUSALS = {
  401: "The server needs a token. Paste one that is valid.",
  403: "The server refuses calls of a page of another origin.",
  421: "The server does not know this host name. See GRAPH_MEMORY_ALLOWED_HOSTS.",
};

function resultOf(answer) {
  if (answer.error) throw new Error(answer.error.message);
  return answer.result;
}

function askForToken() {
  byId("token-form").hidden = false;
  byId("token").focus();
}

function throughHost(method, params) {
  const id = ++lastId;
  const answered = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  post({ id, method, params });
  return answered;
}

// The host has an origin that the page cannot know, and answers only what it was asked.
const post = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

function heard(event) {
  if (event.source !== window.parent || event.data?.jsonrpc !== "2.0") return;
  const { id, method, result, error } = event.data;
  if (method) {
    if (id !== undefined) post({ id, result: {} }); // a ping, or the end of the frame
    return;
  }
  const asked = waiting.get(id);
  waiting.delete(id);
  if (error) asked?.reject(new Error(error.message));
  else asked?.resolve(result);
}

async function meetHost() {
  if (!hosted) return;
  window.addEventListener("message", heard);
  await throughHost("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "graph-memory", version: "1" },
    appCapabilities: {},
  });
  post({ method: "ui/notifications/initialized", params: {} });
}
