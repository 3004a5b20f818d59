// One official JavaScript client and one server, from the handshake to the exit.
//
//   node client.mjs sdk|client legacy|auto|in-place|2026-07-28 NAME COMMAND… | URL
//
// `sdk` is the first generation and knows only the handshake (`legacy`). `client` is the second:
// `auto` asks with `server/discover` what the server speaks, in a process of its own; `in-place`
// asks on the connection that it goes on with. NAME is what the server must call itself. A URL is of
// a server that runs already, over Streamable HTTP.

import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { allEndedWell, calls, check, title, tools, verify } from "./checks.mjs";

const AT_ONCE = 200;
const MODERN = "2026-07-28";
const MODULES = {
  sdk: ["sdk/client/index.js", "sdk/client/stdio.js", "sdk/validation/ajv", "sdk/client/streamableHttp.js"],
  client: ["client", "client/stdio", "client/validators/ajv", "client"],
};

const [library, mode, serverName, command, ...args] = process.argv.slice(2);
const isModern = mode !== "legacy";
const modules = MODULES[library].map((name) => import(`@modelcontextprotocol/${name}`));
const [{ Client }, { StdioClientTransport }, { AjvJsonSchemaValidator }, { StreamableHTTPClientTransport }] =
  await Promise.all(modules);
const isHttp = command.startsWith("http://");

// The client gives the probe a process of its own only for the class itself.
class InPlaceTransport extends StdioClientTransport {}
const Transport = mode === "in-place" ? InPlaceTransport : StdioClientTransport;
const transport = isHttp
  ? new StreamableHTTPClientTransport(new URL(command))
  : new Transport({ command, args, stderr: "inherit" });
let agreedVersion;
const agree = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  agreedVersion = version;
  agree?.(version);
};

const modes = { "in-place": "auto", [MODERN]: { pin: MODERN } };
const versionNegotiation = { mode: modes[mode] ?? mode };
const client = new Client({ name: "kenning-tests", version: "1" }, { versionNegotiation });

const complaints = [];
client.onerror = (error) => complaints.push(error.message);

await client.connect(transport);
await check("introduces itself", introduction);
await check("lists tools whose schemas are sound and agree with the calls", listing);
for (const call of calls) await check(title(call), async () => verify(call, await outcome(call)));
await check(`answers ${AT_ONCE} calls at once, each with its own`, crowd);
await check("takes a call that asks for progress", progress);
if (isModern) await check("accepts a subscription", subscription);
else await check("answers a ping", () => client.ping());
// Closing aborts the streams of the first generation, of which it complains to itself.
if (isHttp) client.onerror = () => {};
await check(isHttp ? "closes" : "exits with 0 when the client closes", closing);
await check("gives no cause for complaint", () => assert.deepEqual(complaints, []));

async function introduction() {
  assert.equal(client.getServerVersion().name, serverName);
  assert.match(client.getServerVersion().version, /^\d+\.\d+\.\d+/);
  assert.ok(client.getServerCapabilities().tools);
  const instructions = client.getInstructions();
  assert.ok(instructions.includes("search_packages") && instructions.length < 2048, instructions);
  assert.equal(agreedVersion, isModern ? MODERN : "2025-11-25");
}

async function listing() {
  const listed = (await client.listTools()).tools;
  const names = listed.map((tool) => tool.name);
  if (serverName === "shire") assert.deepEqual(names, tools);
  else assert.deepEqual(tools.filter((tool) => !names.includes(tool)), []);
  for (const { name, description, inputSchema } of listed) {
    assert.ok(description.length > 20 && description.length < 2048, name);
    new Ajv2020({ strict: true }).compile(inputSchema);
    const validate = new AjvJsonSchemaValidator().getValidator(inputSchema);
    for (const call of calls.filter((call) => call.tool === name)) {
      assert.equal(validate(call.arguments).valid, !("code" in call), title(call));
    }
  }
}

async function outcome(call, options) {
  const request = { name: call.tool, arguments: call.arguments };
  // Only the first generation lets the caller choose a schema for the result.
  const rest = library === "sdk" ? [undefined, options] : [options];
  try {
    return { result: await client.callTool(request, ...rest) };
  } catch (error) {
    return { error };
  }
}

async function crowd() {
  const nobody = (n) => ({
    tool: "get_package",
    arguments: { name: `nobody-${n}` },
    text: `Package 'nobody-${n}' not found`,
  });
  const mixed = Array.from({ length: AT_ONCE }, (_, n) => (n % 2 ? calls[n % calls.length] : nobody(n)));
  const outcomes = await Promise.all(mixed.map((call) => outcome(call)));
  mixed.forEach((call, n) => verify(call, outcomes[n]));
}

async function progress() {
  verify(calls[0], await outcome(calls[0], { onprogress() {} }));
}

async function subscription() {
  // Left open: it must not hold up the exit.
  const { honoredFilter } = await client.listen({ toolsListChanged: true });
  assert.equal(honoredFilter.toolsListChanged, true);
}

async function closing() {
  await client.close();
  if (!isHttp) allEndedWell();
}
