// The MCP Inspector's command line and one server, which it starts anew for each question.
//
//   node inspector.mjs legacy|modern COMMAND…
//
// It judges the schemas more strictly than a client does: what some models' providers refuse, it
// reports. Run it with a Node that the Inspector supports.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { allEndedWell, calls, check, title, tools, verify } from "./checks.mjs";

const AT_ONCE = 200;
const LAUNCHER = fileURLToPath(import.meta.resolve("@modelcontextprotocol/inspector/clients/launcher/build/index.js"));

const [era, ...command] = process.argv.slice(2);
const samples = ["answer", "text", "code"].map((kind) => calls.find((call) => kind in call));

await check("lists tools with portable schemas", listing);
for (const call of samples) await check(title(call), () => verify(call, outcome(call)));
await check(`answers a load of ${AT_ONCE} calls`, load);
await check("exits with 0 each time", allEndedWell);

function listing() {
  const { status, stderr, answer } = inspect("tools/list", "--strict");
  assert.equal(status, 0, stderr);
  assert.ok(!/portab/i.test(stderr), stderr);
  const names = answer.result.tools.map((tool) => tool.name);
  assert.deepEqual(tools.filter((tool) => !names.includes(tool)), []);
}

function outcome(call) {
  const { answer } = inspect("tools/call", ...asking(call));
  // The Inspector has its own codes for errors, and keeps the server's message.
  return answer.error ? { error: { ...answer.error, code: call.code } } : answer;
}

function load() {
  const { answer } = inspect("tools/call", ...asking(samples[0]), "--load", "--load-requests", AT_ONCE, "--load-concurrency", AT_ONCE);
  assert.equal(answer.result.ok, AT_ONCE, JSON.stringify(answer.result));
}

function asking(call) {
  return ["--tool-name", call.tool, "--tool-args-json", JSON.stringify(call.arguments)];
}

/** One run of the Inspector. Its answer is on stdout; if it is an error, on stderr among other lines. */
function inspect(method, ...options) {
  const parameters = ["--cli", "--format", "json", "--protocol-era", era, "--method", method, ...options, ...command];
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...parameters.map(String)], { encoding: "utf8" });
  const line = stdout || stderr.split("\n").find((line) => line.startsWith('{"error"'));
  assert.ok(line, stderr);
  return { status, stderr, answer: JSON.parse(line) };
}
