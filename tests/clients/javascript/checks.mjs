// What the JavaScript clients share: the table of calls, how an answer is held against it, and how
// a check is reported (a line "ok …" or "not ok …", which `run` counts). Knows no client.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export const { tools, calls } = JSON.parse(readFileSync(process.env.CALLS, "utf8"));

/** Runs one check. A failed one does not keep the next from running. */
export async function check(name, body) {
  try {
    await body();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`not ok ${name}: ${String(error.message ?? error).replaceAll("\n", " ")}`);
  }
}

export function title(call) {
  return `${call.tool} ${JSON.stringify(call.arguments)}`;
}

/** Holds the outcome of a call, a result or an error, against its row. */
export function verify(call, { result, error }) {
  if ("code" in call) {
    assert.ok(error, `expected error ${call.code}, got ${JSON.stringify(result)}`);
    assert.equal(error.code, call.code);
    assert.ok(error.message.includes(call.says), error.message);
    return;
  }
  if (error) throw error;
  assert.ok(!result.isError, JSON.stringify(result));
  assert.equal(result.content.length, 1);
  const { type, text } = result.content[0];
  assert.equal(type, "text");
  if ("text" in call) {
    assert.equal(text, call.text);
  } else {
    const structured = result.structuredContent;
    assert.deepEqual(JSON.parse(text), structured.results ?? structured);
    includes(structured, call.answer);
  }
}

/** Everything that `expected` says is so in `actual`, which may say more; lists say all. */
function includes(actual, expected) {
  if (Array.isArray(expected)) {
    assert.equal(actual?.length, expected.length, JSON.stringify(actual));
  }
  if (typeof expected !== "object") {
    assert.equal(actual, expected);
    return;
  }
  for (const key of Object.keys(expected)) includes(actual?.[key], expected[key]);
}

/** Every server that left by itself, and at least one did, had the exit code 0; `run` has them noted. */
export function allEndedWell() {
  const codes = readFileSync(process.env.ENDINGS, "utf8").split("\n").filter(Boolean);
  assert.deepEqual([...new Set(codes)], ["0"]);
}
