import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, type ConnectionId, newId } from "../../core/ids.ts";
import { GatewayToken } from "../../vault/card-number.ts";
import type { Assignment } from "../connections/assignment.ts";
import { AcquirerSecret } from "../connections/connection-secrets.ts";
import { type ScriptedResponse, scriptedClient } from "../scripted-client.fixture.ts";
import { createStripeProcessor } from "./stripe-processor.ts";

const now = new Date("2026-11-27T12:00:00Z");
const account = "acct_1Nv0FGQ9RKHgCVdK";
const token = "tok_1Q0PsIJvEtkwdCNYMSaVuRz6";
const intent = "pi_3MtwBwLkdIwHu7ix28a3tqPa";

/** Pays with a Google Pay token. Returns the outcome and the sent requests. */
async function payWithToken(responses: readonly ScriptedResponse[]) {
  const client = scriptedClient(responses);
  const processor = createStripeProcessor({
    assignment: {
      connection: "con_01jb0000000000000000000001" as ConnectionId,
      merchantAccount: account,
      descriptor: null,
    } as Assignment,
    access: { client, secretKey: new AcquirerSecret("sk_unused"), connectedAccount: null, account },
    filesClient: scriptedClient([]),
    acceptsGatewayTokens: true,
    idempotencySecret: Buffer.alloc(32, 7),
    clock: { now: () => now },
    random: () => 0,
    onLateOutcome: () => {},
  });
  const outcome = await processor.authorizeGatewayToken?.({
    account: "acct_01jb0000000000000000000001" as AccountId,
    reference: newId("ch", now),
    price: { amountMinor: 1999, currency: "usd" },
    capture: true,
    wallet: "google_pay",
    token: new GatewayToken(JSON.stringify({ id: token, object: "token" })),
  });
  return { outcome, sent: client.sent.map(({ method, path }) => `${method} ${path}`) };
}

const read: ScriptedResponse = {
  status: 200,
  body: {
    id: token,
    object: "token",
    used: false,
    card: { tokenization_method: "google_pay" },
  },
};
const created: ScriptedResponse = { status: 200, body: { id: intent, object: "payment_intent" } };
const failed = (status: number, code: string): ScriptedResponse => ({
  status,
  body: { error: { type: "invalid_request_error", code } },
});
const rejected = (why: string) => ({ kind: "rejected", why });

const requests = [
  `GET /v1/tokens/${token}`,
  "POST /v1/payment_intents",
  `POST /v1/payment_intents/${intent}/confirm`,
];

test("if Stripe does not create the payment, a payment with a token is rejected or not sent, and is not repeated", async () => {
  for (const [response, expected] of [
    [failed(429, "rate_limit"), rejected("rate_limited")],
    [failed(409, "lock_timeout"), { kind: "not_sent" }],
    [failed(500, "api_error"), { kind: "not_sent" }],
    ["lost", { kind: "not_sent" }],
    [failed(401, "api_key_invalid"), rejected("credentials")],
  ] as const) {
    const { outcome, sent } = await payWithToken([read, response]);
    assert.partialDeepStrictEqual(outcome, expected);
    assert.deepEqual(sent, requests.slice(0, 2));
  }
});

test("a forbidden token is not reported as rejected credentials, and a rejected key is", async () => {
  const unreadable = await payWithToken([failed(403, "more_permissions_required")]);
  assert.partialDeepStrictEqual(unreadable.outcome, rejected("invalid_request"));
  assert.deepEqual(unreadable.sent, requests.slice(0, 1));
  for (const [status, why] of [
    [403, "invalid_request"],
    [401, "credentials"],
  ] as const) {
    const { outcome, sent } = await payWithToken([read, created, failed(status, "code")]);
    assert.partialDeepStrictEqual(outcome, rejected(why));
    assert.deepEqual(sent, requests);
  }
});
