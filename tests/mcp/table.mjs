// What the JavaScript clients share: the rows of calls.json, and what is expected of their answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export const table = JSON.parse(readFileSync(new URL("calls.json", import.meta.url), "utf8"));

/** The value with what was kept in the place of {names}. */
function filled(value, names) {
  const fill = (text, [name, kept]) => text.replaceAll(`{${name}}`, kept);
  return JSON.parse(Object.entries(names).reduce(fill, JSON.stringify(value)));
}

/** Whether objects have at least the members that are expected, and all else is the same. */
function isWithin(expected, actual) {
  if (expected === null || typeof expected !== "object") return expected === actual;
  if (actual === null || typeof actual !== "object") return false;
  if (Array.isArray(expected) && expected.length !== actual.length) return false;
  return Object.entries(expected).every(([name, value]) => name in actual && isWithin(value, actual[name]));
}

/** Does every row, each on what those before have made. `answer` gives the result of a row, or `undefined` where the
 * client has no such method. */
export async function work(server, run, listed, answer) {
  const rows = table[server];
  const tabled = rows.filter((row) => row.method === "tools/call").map((row) => row.name);
  assert.deepEqual(new Set(listed), new Set(tabled));
  const names = { run };
  let count = 0;
  for (const raw of rows) {
    const row = filled(raw, names);
    let told = await answer(row);
    if (told === undefined) continue;
    count += 1;
    const shown = `${JSON.stringify(row)}: ${JSON.stringify(told)}`;
    if (row.method === "tools/call") {
      const text = JSON.parse(told.content[0].text);
      if (row.refused) {
        assert(told.isError === true && text.error === row.refused, shown);
        continue;
      }
      assert(told.isError !== true, shown);
      assert.deepEqual(text, told.structuredContent, shown);
      told = text;
    }
    assert(isWithin(row.expect ?? {}, told), shown);
    for (const [member, entry] of Object.entries(row.contains ?? {})) {
      assert(told[member].some((one) => isWithin(entry, one)), shown);
    }
    for (const [name, member] of Object.entries(row.keep ?? {})) names[name] = told[member];
  }
  return count;
}
