import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthorizeRequest, Processor } from "../../acquiring/processor.ts";
import type { Scope } from "../../core/scope.ts";
import { type PayingCard, sendAuthorization } from "./call-acquirer.ts";
import { processingCharge } from "./charge.fixture.ts";

const now = new Date("2026-03-01T12:00:00Z");
const scope: Scope = { account: "acct_01jbqw3e4r5t6y7z8x9cvbnmas", livemode: false };

test("the acquirer receives the network that the cardholder chose, or none", async () => {
  const requested: AuthorizeRequest[] = [];
  const processor = {
    async authorize(request: AuthorizeRequest) {
      requested.push(request);
      return { kind: "not_sent" };
    },
  } as unknown as Processor;
  const paying = {
    purpose: { kind: "single_use", consented: false },
    card: { securityCode: null },
  } as PayingCard;
  const plain = processingCharge(scope, now);
  for (const preferred of ["cartes_bancaires", null] as const) {
    const networks = { available: ["visa" as const, "cartes_bancaires" as const], preferred };
    const charge = { ...plain, card: { ...plain.card, networks } };
    await sendAuthorization(processor, charge, paying, {});
  }
  assert.deepEqual(
    requested.map(({ network }) => network),
    ["cartes_bancaires", null],
  );
});
