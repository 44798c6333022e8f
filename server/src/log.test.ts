import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "./log.ts";

test("the log omits the rows that Postgres quotes in errors", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const error = Object.assign(new Error("null value violates not-null constraint"), {
    code: "23502",
    detail: "Failing row contains (ada@example.com, 12 Rose Lane).",
    where: "unnamed portal with parameters: $1 = 'ada@example.com'",
  });
  log.error({ request: "req_1", err: error }, "request failed");
  const [line = ""] = lines;
  assert.match(line, /violates not-null constraint/);
  assert.match(line, /"code":"23502"/);
  assert.doesNotMatch(line, /ada@example|Rose Lane/);
});

test("text in a log line cannot control a terminal, and is unchanged for a reader of the JSON", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const url = "https://shop.example/\u001b[2J\u009b2J\u007f\u202egnp.exe\u2066\u2028\u200f/é";
  log.info({ url, nested: { url } }, "endpoint changed");
  const [line = ""] = lines;
  assert.doesNotMatch(line.trimEnd(), /[\p{Cc}\p{Cf}\u2028\u2029]/u);
  assert.equal(JSON.parse(line).url, url);
  assert.equal(JSON.parse(line).nested.url, url);
  assert.match(line, /\/é"/);
});
