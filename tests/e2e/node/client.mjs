// Uses a TypeScript SDK of MCP as a program would, and prints what it got as JSON.
// Arguments: the package of the SDK; the address of the server, or "stdio" with a command.
// A line on stdin aborts the deletion of the memory that the line before it named.
import { createInterface } from "node:readline";

const [maker, where, ...command] = process.argv.slice(2);
const parts =
  maker === "@modelcontextprotocol/sdk"
    ? ["/client/index.js", "/client/streamableHttp.js", "/client/stdio.js"]
    : ["", "", "/stdio"];
const [main, http, stdio] = await Promise.all(parts.map((part) => import(maker + part)));

const client = new main.Client({ name: "typescript", version: "1" });
const transport =
  where === "stdio"
    ? new stdio.StdioClientTransport({ command: command[0], args: command.slice(1), env: process.env })
    : new http.StreamableHTTPClientTransport(new URL(where));
await client.connect(transport);

/** Calls a tool; `options` may hold a signal. */
function call(name, given, options) {
  const wanted = { name, arguments: given };
  return parts[0] ? client.callTool(wanted, undefined, options) : client.callTool(wanted, options);
}

const print = (found) => console.log(JSON.stringify(found));
print({
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  resources: (await client.listResources()).resources.map((resource) => resource.uri),
  added: (await call("add_memory", { content: "Grace drinks coffee" })).isError ?? false,
  found: (await call("search_memory", { query: "What does Ada drink?" })).structuredContent,
  refused: await call("search_memory", { query: "tea", limit: 0 }),
});

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const named = await lines.next();
if (!named.done) {
  const aborting = new AbortController();
  const deletion = call("delete_memory", { memory_id: named.value }, { signal: aborting.signal });
  const ended = deletion.then(() => "deleted", (error) => `${error}`);
  await lines.next();
  aborting.abort("The user pressed Escape.");
  print({ aborted: await ended });
  print({ after: (await call("get_memory", { memory_id: named.value })).structuredContent });
}
await client.close();
process.exit(0);
