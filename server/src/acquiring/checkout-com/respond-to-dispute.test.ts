import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId, ChargeId } from "../../core/ids.ts";
import { AcquirerSecret } from "../connections/connection-secrets.ts";
import type { DisputeResponse } from "../processor.ts";
import { type ScriptedResponse, scriptedClient } from "../scripted-client.fixture.ts";
import { requestValidator } from "./openapi.fixture.ts";
import { respondToDispute } from "./respond-to-dispute.ts";

const validator = requestValidator();
const dispute = "dsp_mbabizu24mvu3mela5njyhpit4";

const response: DisputeResponse = {
  account: "acct_01jb0000000000000000000001" as AccountId,
  networkCase: "3f8a8d1e-0000-4000-8000-000000000000",
  acquirerReference: dispute,
  charge: "ch_01jb0000000000000000000001" as ChargeId,
  price: { amountMinor: 1999, currency: "eur" },
  reason: "general",
  isInquiry: false,
  answer: { kind: "evidence", evidence: { product_description: "A blue mug." }, files: [] },
};

async function respond(responses: readonly ScriptedResponse[], change = {}) {
  const client = scriptedClient(responses);
  const access = { client, secretKey: new AcquirerSecret("sk_unused") };
  const outcome = await respondToDispute(access, { ...response, ...change });
  for (const { method, path, body } of client.sent) {
    const parsed = typeof body === "string" ? JSON.parse(body) : null;
    if (typeof validator !== "string") validator({ method, path, body: parsed });
  }
  return { outcome, sent: client.sent.map(({ method, path }) => `${method} ${path}`) };
}

const uploaded = { status: 200, body: { id: "file_6lbss42ezvoufcb2beo76rvwly" } };
const done = { status: 204 };
const evidencePath = `/disputes/${dispute}/evidence`;

test("evidence is uploaded, attached and then submitted", async () => {
  const { outcome, sent } = await respond([uploaded, done, done]);
  assert.deepEqual(outcome, { kind: "received" });
  assert.deepEqual(sent, ["POST /files", `PUT ${evidencePath}`, `POST ${evidencePath}`]);
});

test("an accepted dispute has no evidence", async () => {
  const { outcome, sent } = await respond([done], { answer: { kind: "accepted" } });
  assert.deepEqual(outcome, { kind: "received" });
  assert.deepEqual(sent, [`POST /disputes/${dispute}/accept`]);
});

test("a response that is lost before the submission can be sent again", async () => {
  for (const responses of [
    ["lost"],
    [{ status: 502, body: "<html>" }],
    [uploaded, "lost"],
    [uploaded, { status: 500 }],
    [uploaded, done, "not_sent"],
    [{ status: 401 }],
    [uploaded, done, { status: 429 }],
  ] as const) {
    assert.equal((await respond(responses)).outcome.kind, "not_sent", JSON.stringify(responses));
  }
});

test("a lost submission has an unknown outcome, and a refused one a problem", async () => {
  assert.equal((await respond([uploaded, done, "lost"])).outcome.kind, "unknown");
  assert.equal((await respond([uploaded, done, { status: 502 }])).outcome.kind, "unknown");
  const error = { error_type: "request_invalid", error_codes: ["evidence_past_due"] };
  const { outcome } = await respond([uploaded, { status: 422, body: error }]);
  assert.deepEqual(outcome, {
    kind: "rejected",
    problem: "Checkout.com rejected the response (evidence_past_due). Contact the operator.",
  });
});
