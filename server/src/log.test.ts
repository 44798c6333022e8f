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
