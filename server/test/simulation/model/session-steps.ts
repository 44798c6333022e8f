import assert from "node:assert/strict";
import type { ErrorCode } from "@florin/contract/errors.ts";
import fc from "fast-check";
import { typed } from "../../checkout.ts";
import { authorizationFaults, noFault } from "./acquirer-faults.ts";
import { expectRejection, type Merchant } from "./merchant.ts";
import { cards, emit, type Model, type ModelSession } from "./model.ts";
import {
  addCharge,
  canInjectFault,
  challenge,
  outcomesOf,
  type Payment,
  planOf,
} from "./payments.ts";
import { anyOne, pick, type Step } from "./step.ts";

export const openSession: fc.Arbitrary<Step> = fc
  .record({
    amount: fc.integer({ min: 100, max: 9_999 }),
    manual: fc.boolean(),
    max_attempts: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ amount, manual, max_attempts }) => ({
    description: `open a session of ${amount}${manual ? ", held" : ""}`,
    async run(model, merchant) {
      const params = { amount, currency: "usd", max_attempts };
      const { status, body, text } = await merchant.post("/checkout_sessions", {
        ...params,
        ...(manual && { capture_method: "manual" }),
      });
      assert.equal(status, 201, text);
      model.sessions.push({
        id: body.session.id,
        secret: new URL(body.embed_url).hash.slice(1),
        amount,
        manual,
        maxAttempts: max_attempts,
        status: "open",
        paymentStatus: "unpaid",
        attempts: 0,
        charge: null,
        age: 0,
        outcomes: null,
      });
    },
  }));

const hasSessions = ({ sessions }: Model): boolean => sessions.length > 0;

/** Selects a session, and waits for its outcome and its charge's outcome. */
async function selectSession(
  model: Model,
  merchant: Merchant,
  which: number,
): Promise<ModelSession> {
  const session = pick(model.sessions, which);
  await merchant.awaitOutcome(session, model);
  if (session.charge) await merchant.awaitOutcome(session.charge, model);
  return session;
}

/** The customer enters a card into the form and pays. This changes only an open session. */
export const payInSession: fc.Arbitrary<Step> = fc
  .record({
    which: anyOne,
    card: fc.constantFrom(...cards),
    fault: fc.constantFrom(noFault, noFault, ...authorizationFaults),
  })
  .map(({ which, card, fault }) => ({
    description: `pay in the form with ${card.number} ${JSON.stringify(fault.faults)}`,
    can: hasSessions,
    async run(model, merchant) {
      const session = await selectSession(model, merchant, which);
      const { amount, manual } = session;
      const wanted: Payment = { card, amount, manual, fault };
      const payment = canInjectFault(wanted) ? wanted : { ...wanted, fault: noFault };
      const stored = await typeCard(merchant, session, card.number);
      if (session.status !== "open") return;
      await merchant.withFault(payment.fault, "authorize", (fault) =>
        confirm(model, merchant, session, { ...payment, fault }, stored as string),
      );
    },
  }));

async function confirm(
  model: Model,
  merchant: Merchant,
  session: ModelSession,
  payment: Payment,
  paymentMethod: string,
): Promise<void> {
  const { hasInterruptions } = merchant.environment;
  const reply = await merchant.send("POST", `${pathOf(session)}/confirm`, {
    headers: { ...bearing(session), "idempotency-key": `${session.id} ${session.attempts}` },
    body: { payment_method_id: paymentMethod },
  });
  assert.equal(reply.status, 200, reply.text);
  const plan = planOf(model, payment);
  const { charge_id } = await merchant.read(`/checkout_sessions/${session.id}`);
  const charge = addCharge(model, charge_id, payment, plan, session);
  session.attempts += 1;
  session.charge = charge;
  if (reply.body.status === "requires_action") {
    session.status = "requires_action";
    return challenge(model, charge, reply.body.next_action.url);
  }
  session.status = "processing";
  charge.outcomes = outcomesOf(model, charge, plan, hasInterruptions);
  if (!hasInterruptions) {
    const stays = plan.immediate === "processing";
    assert.equal(reply.body.status === "processing", stays, reply.text);
    if (stays) return;
  }
  await merchant.awaitOutcome(charge, model);
}

/** Sends a card from the form to the vault. Returns null if the session is not open. */
async function typeCard(
  merchant: Merchant,
  session: ModelSession,
  number: string,
): Promise<string | null> {
  const { status, body, text } = await merchant.send("POST", "/vault/cards", {
    headers: bearing(session),
    body: { checkout_session_id: session.id, ...typed(number) },
  });
  if (session.status !== "open") {
    assert.ok(status >= 400 || status === 201, text);
    return null;
  }
  assert.equal(status, 201, text);
  return body.payment_method_id;
}

const pathOf = ({ id }: ModelSession): string => `/embed/api/checkout_sessions/${id}`;
const bearing = ({ secret }: ModelSession) => ({ authorization: `Bearer ${secret}` });

export const expireSession: fc.Arbitrary<Step> = anyOne.map((which) => ({
  description: "expire a session",
  can: hasSessions,
  async run(model, merchant) {
    const session = await selectSession(model, merchant, which);
    const reply = await merchant.post(`/checkout_sessions/${session.id}/expire`);
    const rejections: Readonly<Record<string, ErrorCode>> = {
      processing: "session_in_progress",
      requires_action: "session_in_progress",
      complete: "session_already_complete",
      failed: "status_transition_invalid",
      expired: "session_expired",
      canceled: "session_canceled",
    };
    const rejection = rejections[session.status];
    if (rejection) return expectRejection(reply, rejection);
    assert.equal(reply.status, 200, reply.text);
    session.status = "expired";
    emit(model, "checkout_session.expired", session.id);
  },
}));
