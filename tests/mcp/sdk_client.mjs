// The official TypeScript SDK's client, at every row of calls.json: over stdio, over HTTP and through the bridge. It
// checks every answer of a tool against the schema that the tool lists.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { table, work } from "./table.mjs";

const [modules, interline, dataDir, address] = process.argv.slice(2);
const { resolve } = createRequire(pathToFileURL(`${modules}/`));
const load = (part) => import(pathToFileURL(resolve(`@modelcontextprotocol/sdk/client/${part}.js`)));
const { Client } = await load("index");
const { StdioClientTransport } = await load("stdio");
const { StreamableHTTPClientTransport } = await load("streamableHttp");

const METHODS = {
  "tools/call": (client, { name, arguments: given }) => client.callTool({ name, arguments: given }),
  "prompts/list": (client) => client.listPrompts(),
  "prompts/get": (client, { name, arguments: given }) => client.getPrompt({ name, arguments: given }),
  "resources/list": (client) => client.listResources(),
  "resources/templates/list": (client) => client.listResourceTemplates(),
  "resources/read": (client, { uri }) => client.readResource({ uri }),
  "completion/complete": (client, { ref, argument }) => client.complete({ ref, argument }),
};

for (const server of Object.keys(table)) {
  const started = (...args) => new StdioClientTransport({ command: interline, args: ["mcp", server, ...args] });
  const ways = {
    stdio: () => started("--data-dir", dataDir),
    bridge: () => started("--url", address),
    http: () => new StreamableHTTPClientTransport(new URL(`${address}/mcp/${server}`)),
  };
  for (const [way, transport] of Object.entries(ways)) {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport());
    const { tools } = await client.listTools();
    const listed = tools.map((tool) => tool.name);
    const count = await work(server, `sdk-${way}`, listed, (row) => METHODS[row.method](client, row));
    console.log(`TypeScript, ${server}, ${way}: ${count} calls`);
    await client.close();
  }
}
