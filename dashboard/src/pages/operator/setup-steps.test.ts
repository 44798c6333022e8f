import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection } from "@florin/contract/operator-connections.ts";
import { missingSteps } from "./setup-steps.ts";

const secrets = { version: 2, configured_at: 1, previous_until: null };
const passed = { passed_at: 1, secrets_version: 2, problem: null };
const seen = { seen_at: 1, secrets_version: 2 };

const missing = (changes: Partial<Connection>) =>
  missingSteps({
    processor: "adyen",
    secrets,
    test: passed,
    notification: seen,
    ...changes,
  } as Connection);

test("a connection with tested secrets and a notification has no missing steps", () => {
  assert.deepEqual(missing({}), []);
});

test("a test or a notification of earlier secrets does not count", () => {
  assert.match(missing({ test: { ...passed, secrets_version: 1 } })[0] ?? "", /Test/);
  assert.match(missing({ test: { ...passed, problem: "Rejected." } })[0] ?? "", /Test/);
  assert.match(missing({ notification: { ...seen, secrets_version: 1 } })[0] ?? "", /notification/);
});

test("a new connection has three missing steps", () => {
  const none = { version: 0, configured_at: null, previous_until: null };
  const untested = { passed_at: null, secrets_version: null, problem: null };
  assert.equal(missing({ secrets: none, test: untested, notification: null }).length, 3);
});
