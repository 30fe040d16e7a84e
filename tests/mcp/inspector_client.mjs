// The command line of the MCP inspector, at the rows of calls.json: over stdio and over HTTP. Each call is a process of
// its own. It cannot complete arguments.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { table, work } from "./table.mjs";

const [modules, interline, dataDir, address] = process.argv.slice(2);
const inspector = `${modules}/node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js`;
const run = promisify(execFile);

async function ask(target, method, options = []) {
  const args = [inspector, ...target, "--method", method, ...options];
  // A refusal of a tool is an exit code too; its body is on stdout all the same.
  const { stdout } = await run(process.execPath, args).catch((error) => error);
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`${method} ${options}: ${stdout}`);
  }
}

/** Options of the form `key=value`, which it reads as JSON where that is possible. */
function pairs(option, values) {
  const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  return Object.entries(values).flatMap(([key, value]) => [option, `${key}=${text(value)}`]);
}

const OPTIONS = {
  "tools/call": ({ name, arguments: given }) => ["--tool-name", name, ...pairs("--tool-arg", given)],
  "prompts/list": () => [],
  "prompts/get": ({ name, arguments: given }) => ["--prompt-name", name, ...pairs("--prompt-args", given)],
  "resources/list": () => [],
  "resources/templates/list": () => [],
  "resources/read": ({ uri }) => ["--uri", uri],
};

async function inspect(server, way, target) {
  const { tools } = await ask(target, "tools/list");
  const listed = tools.map((tool) => tool.name);
  const answer = (row) => OPTIONS[row.method] && ask(target, row.method, OPTIONS[row.method](row));
  const count = await work(server, `inspector-${way}`, listed, answer);
  console.log(`inspector, ${server}, ${way}: ${count} calls`);
}

const inspections = Object.keys(table).flatMap((server) => [
  inspect(server, "stdio", [interline, "mcp", server, "--data-dir", dataDir]),
  inspect(server, "http", ["--transport", "http", "--server-url", `${address}/mcp/${server}`]),
]);
await Promise.all(inspections);
