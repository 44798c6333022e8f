import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChargeRoute } from "@florin/contract/timeline.ts";
import { routeReason, routeSummary } from "./route-texts.ts";

type Connection = ChargeRoute["connections"][number];
const connection = (changes: Partial<Connection>): Connection => ({
  processor: "adyen",
  merchant_account: "FieldwareECOM",
  result: "used",
  rule: null,
  reason: null,
  ...changes,
});
const stripe = { processor: "stripe", merchant_account: "acct_1" } as const;
const rules = [{ number: 2, name: "Gold" }];

for (const [connections, summary] of [
  [[connection({ rule: 2 })], "Sent over Adyen because the rule “Gold” matched."],
  [
    [connection({}), connection({ ...stripe, result: "not_needed" })],
    "Sent over Adyen because its priority is the highest.",
  ],
  [
    [connection({}), connection({ ...stripe, result: "skipped", reason: "circuit_open" })],
    "Sent over Adyen because no other connection accepted the payment.",
  ],
  [
    [connection({ ...stripe, result: "not_processed", rule: 2 }), connection({})],
    "Sent over Adyen because an earlier connection did not process the payment.",
  ],
  [
    [connection({ ...stripe, result: "declined", rule: 2 }), connection({})],
    "Sent over Adyen because the payment was declined over an earlier connection.",
  ],
] as const) {
  test(summary, () =>
    assert.equal(routeSummary({ rules, connections: [...connections] }), summary),
  );
}

test("a connection that was skipped has its reason, and the others have their place in the order", () => {
  const route = { rules, connections: [] };
  assert.deepEqual(
    [
      connection({ result: "skipped", reason: "suspended" }),
      connection({ rule: 2 }),
      connection({ result: "not_needed" }),
      connection({ result: "not_processed" }),
      connection({ result: "declined" }),
    ].map((one) => routeReason(route, one)),
    [
      "The connection was suspended.",
      "Rule “Gold”. Used.",
      "By priority. Not needed.",
      "By priority. Did not process the payment.",
      "By priority. The payment was declined.",
    ],
  );
});
