import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  type AuthorizationOutcome,
  noDetails,
  type OperationOutcome,
} from "../../acquiring/outcome.ts";
import type { OperationKind } from "../../acquiring/processor.ts";
import { type Id, newId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { claimKey } from "../../platform/idempotency/idempotency.sql.ts";
import { processingVerification } from "../card-verifications/card-verification.fixture.ts";
import { insertVerification } from "../card-verifications/card-verification.sql.ts";
import {
  type CardVerification,
  challengeVerification,
  type ProcessingVerification,
  resumeVerification,
  verificationAfter,
} from "../card-verifications/card-verification.ts";
import { verificationTransition } from "../card-verifications/record-verification.ts";
import { block, chargeAfterResponse, requireAction } from "../charges/apply-response.ts";
import { processingCharge } from "../charges/charge.fixture.ts";
import type { Charge, ProcessingCharge, SucceededCharge } from "../charges/charge.ts";
import { amountsOf, assignmentOf, detailsOf } from "../charges/charge-row.ts";
import { chargeText } from "../charges/charge-text.ts";
import { chargeTransition } from "../charges/charge-transition.ts";
import { expiryTransition } from "../checkout/expire-session.ts";
import type { Dispute } from "../disputes/dispute.ts";
import { disputeTransition } from "../disputes/record-dispute.ts";
import {
  acceptDispute,
  applyMissedDeadline,
  closeRefunded,
  type DisputeTransition,
  decideDispute,
  openDispute,
  submitEvidence,
} from "../disputes/transition-dispute.ts";
import { failureTransfers } from "../ledger/posting-rules.ts";
import { captureFailure } from "../operations/fail-capture.ts";
import { newOperation } from "../operations/operation.sql.ts";
import { applyOperationResponse, type ProcessingOperation } from "../operations/operation.ts";
import { operationRules } from "../operations/operation-rules.ts";
import { operationTransition } from "../operations/record-operation.ts";
import { payoutTransition } from "../payouts/payout.jobs.ts";
import { newPayout } from "../payouts/payout.sql.ts";
import { applyPayoutResponse, beginPayout, type Payout } from "../payouts/payout.ts";
import { newOpenSession } from "../sessions/checkout-session.fixture.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";
import { createClientSecrets } from "../sessions/client-secret.ts";
import { newSettlement } from "../settlements/settlement.sql.ts";
import { postSettlement } from "../settlements/settlement.ts";
import { insertCharges, insertSessions } from "./intents.sql.ts";
import type { Transition } from "./transition.ts";

/** The time of the transitions. */
export const now = new Date();
/** The merchant of the transitions in `stages`, which are committed one by one. */
export const single: Scope = { account: newId("acct", now), livemode: false };
const endpoint = randomUUID();
const customer = newId("cus", now);
const card = newId("pm", now);

/** The objects before the transitions. */
const charges: ProcessingCharge[] = [];
const sessions: CheckoutSession[] = [];
const verifications: ProcessingVerification[] = [];
const verifiedCard = newId("pm", now);
/** The idempotency keys of the requests that create operations. */
const operationKeys: string[] = [];
/** A transition of every kind, in order. Each stage contains transitions of one kind, and at most one per object. */
export const stages: Transition[][] = [];

type Setup = {
  readonly session: CheckoutSession;
  readonly verification: ProcessingVerification;
};

makeTransitions();

/** Inserts a merchant, an endpoint for all events, and the objects before the transitions. */
export async function insertObjects(tx: Tx, scope: Scope): Promise<void> {
  const account = uuidOf(scope.account);
  await tx`insert into accounts (id, name) values (${account}, 'Fieldware')`;
  await tx`
    insert into webhook_endpoints (account_id, livemode, id, url, enabled_events, secret)
    values (${account}, false, ${endpoint}, 'https://shop.example', '{*}', '\\x00')`;
  await tx`insert into customers (account_id, livemode, id) values (${account}, false, ${uuidOf(customer)})`;
  for (const id of [card, verifiedCard]) {
    await tx`
      insert into payment_methods (account_id, livemode, id, checkout_session_id, consented_at, brand, last4,
                                   exp_month, exp_year, funding, networks, fingerprint)
      values (${account}, false, ${uuidOf(id)}, ${uuidOf((sessions[0] as CheckoutSession).id)}, ${now}, 'visa',
              '4242', 12, 2030, 'credit', '{visa}', 'Bb5JGCHg2VNpDJmE')`;
  }
  for (const key of operationKeys) await claimKey(tx, { scope, key }, Buffer.alloc(32));
  const response = { status: 201, body: "{}" };
  await insertSessions(
    tx,
    sessions.map((session) => ({ session: { ...session, scope }, idempotency: null, response })),
  );
  const inserted = await insertCharges(
    tx,
    charges.map((charge) => ({
      charge: { ...charge, scope },
      route: null,
      consent: null,
      idempotency: {
        key: charge.request?.idempotencyKey as string,
        fingerprint: Buffer.alloc(32),
      },
      claimedBy: 1,
      dueAt: now,
    })),
  );
  assert.ok(inserted.every(Boolean));
  for (const verification of verifications) {
    assert.ok(await insertVerification(tx, { ...verification, scope }, now));
  }
}

/** Fills `stages` with every kind of transition. Uses the service's functions to compute them. */
function makeTransitions(): void {
  const checks = {
    cvcCheck: "pass",
    addressLine1Check: null,
    addressPostalCodeCheck: null,
  } as const;
  const approved: AuthorizationOutcome = {
    kind: "approved",
    approvedMinor: 1999,
    details: { ...noDetails, networkTransactionId: "SIM-1", checks },
  };
  const declined: AuthorizationOutcome = {
    kind: "declined",
    code: "insufficient_funds",
    networkDeclineCode: "51",
    retry: "later",
    notBefore: null,
    details: { ...noDetails, checks },
  };
  const unknown = { kind: "unknown", why: "timeout", problem: "no response" } as const;
  const pending: AuthorizationOutcome = { kind: "pending", acquirerReference: null };
  const pricing = { basisPoints: 290, fixedMinor: 30 };
  const render = {
    charge: (charge: Charge) => chargeText(charge, null),
    baseUrl: "https://pay.example",
  };
  const clientSecrets = createClientSecrets({ test: Buffer.alloc(32), live: Buffer.alloc(32) });
  const deps = {
    links: { baseUrl: () => render.baseUrl, clientSecrets },
    random: () => 0.5,
  };
  /** The current state of each charge. */
  const current = new Map<Id<"ch">, Charge>();
  /** Adds a stage. */
  const add = (stage: Transition[]) => stages.push(stage);

  // Outcomes of charges with and without a session.
  const plain = [approved, declined, unknown, unknown, pending] as const;
  const outcomes: Transition[] = [];
  for (const response of [...plain, approved, approved, approved]) {
    outcomes.push(decide(begin({}), (charge) => chargeAfterResponse(charge, response, now)));
  }
  const held = begin({ captureMethod: "manual" });
  const voided = begin({ captureMethod: "manual", ...inSession() });
  const stuck = begin({ captureMethod: "manual" });
  const inReview = begin({
    risk: { outcome: "review", score: 70, reasons: ["card_testing", "velocity"], details: null },
  });
  const late = begin({ id: newId("ch", new Date(now.getTime() - 10 * 60_000)) });
  const saving = begin({ paymentMethodId: card, customerId: customer, ...inSession() });
  const uncollected = begin(inSession());
  for (const charge of [held, voided, stuck, inReview, late, saving, uncollected]) {
    outcomes.push(decide(charge, (one) => chargeAfterResponse(one, approved, now)));
  }
  const challenged = [begin({}), begin({}), begin(inSession())];
  for (const charge of challenged) outcomes.push(decide(charge, requireAction));
  outcomes.push(decide(begin(inSession()), (one) => chargeAfterResponse(one, declined, now)));
  outcomes.push(decide(begin({}), (one) => block(one, now)));
  add(outcomes);
  const [paid, , timedOut, reversing, waiting, refunded, disputed, inquired] = charges.map(
    ({ id }) => current.get(id) as Charge,
  );

  // Second transitions of the charges.
  const [resumed, canceled, failed] = challenged.map(({ id }) => current.get(id) as Charge);
  const fails = { code: "card_declined", declineCode: "authentication_required" } as const;
  const failure = { ...fails, networkDeclineCode: null };
  add([
    decide(timedOut as ProcessingCharge, (one) => chargeAfterResponse(one, approved, now)),
    decide(reversing as ProcessingCharge, (one) => ({
      ...one,
      version: one.version + 1,
      reversalPending: true,
      inquiries: 1,
    })),
    decide(waiting as ProcessingCharge, (one) => chargeAfterResponse(one, declined, now)),
    decide(resumed as Charge, (one) => ({
      ...one,
      version: one.version + 1,
      status: "processing",
      pendingReason: null,
      reversalPending: false,
    })),
    decide(canceled as Charge, (one) => ({
      ...one,
      version: one.version + 1,
      status: "canceled",
      finalizedAt: now,
    })),
    decide(failed as Charge, (one) => ({
      ...one,
      version: one.version + 1,
      status: "failed",
      finalizedAt: now,
      failure,
      unconfirmed: false,
      failureEntry: null,
    })),
  ]);

  // Another acquirer for a charge that the first acquirer has not processed.
  const atFirst = current.get((resumed as Charge).id) as ProcessingCharge;
  const rerouted = { ...atFirst, version: atFirst.version + 1 };
  current.set(rerouted.id, rerouted);
  add([{ scope: single, change: assignmentOf(rerouted, new Date(now.getTime() + 30_000)) }]);

  // Updates of descriptions and metadata by the merchant.
  const words = [paid, refunded].map((charge) => ({
    ...(charge as Charge),
    version: (charge as Charge).version + 1,
    description: "Order 7",
    metadata: { order: "7" },
  }));
  for (const charge of words) current.set(charge.id, charge);
  add(words.map((charge) => ({ scope: single, change: detailsOf(charge) })));

  // A capture that fails after it had succeeded.
  const collected = current.get(uncollected.id) as SucceededCharge;
  const given = { chargedMinor: 1999, feeMinor: 88 };
  add([captureFailure(collected, newId("txn", now), failureTransfers(given, true), now)]);

  // Card verifications: approved, declined, and failed after a challenge.
  const setups = [0, 1, 2].map(() => {
    const session = {
      ...newOpenSession(single, now),
      mode: "setup",
      price: { amountMinor: 0, currency: "usd" },
    } as const;
    const verification = processingVerification(single, now, {
      paymentMethodId: verifiedCard,
      customerId: customer,
      checkoutSessionId: session.id,
    });
    sessions.push(session);
    verifications.push(verification);
    return { session: { ...session, attempts: 1 }, verification };
  }) as [Setup, Setup, Setup];
  const verify = ({ session }: Setup, next: CardVerification) =>
    verificationTransition(session, next, now);
  const [saves, rejects, challenges] = setups;
  const waits = challengeVerification(challenges.verification);
  const continues = resumeVerification(waits, null);
  add([
    verify(saves, verificationAfter(saves.verification, approved, now)),
    verify(rejects, verificationAfter(rejects.verification, declined, now)),
    verify(challenges, waits),
  ]);
  add([verify(challenges, continues)]);
  add([verify(challenges, verificationAfter(continues, unknown, now))]);

  // Captures, voids and refunds.
  const intents: Transition[] = [];
  const operations = [
    operate("capture", held.id, 1500),
    operate("void", voided.id, 1999),
    operate("capture", stuck.id, 1999),
    operate("refund", paid?.id, 1999),
    operate("refund", refunded?.id, 500, false),
    operate("refund", saving.id, 100),
  ] as const;
  add(intents);
  const done: OperationOutcome = { kind: "done", acquirerReference: null };
  const operationDeclined: OperationOutcome = {
    kind: "declined",
    code: "expired_card",
    reason: null,
  };
  const responses = [done, done, unknown, done, operationDeclined, done] as const;
  const afterwards = operations.map((operation, index) => ({
    operation,
    received: responses[index] as OperationOutcome,
  }));
  const first = afterwards.map(({ operation, received }) => receive(operation, received));
  add(first.map(({ transition }) => transition));
  add([
    receive(first[2]?.operation as ProcessingOperation, operationDeclined).transition,
    receive(first[3]?.operation as ProcessingOperation, operationDeclined).transition,
  ]);

  // Disputes: evidence, acceptance, decisions, missed deadlines, and an inquiry that a refund ends.
  const disputable = [disputed, inquired, timedOut, saving, refunded, paid].map(
    (charge) => current.get((charge as Charge).id) as SucceededCharge,
  );
  const opened = disputable.map((charge, index) => {
    const notification = {
      ...single,
      networkCase: randomUUID(),
      charge: charge.id,
      reason: "fraudulent",
      isInquiry: index % 2 === 1,
      amountMinor: 300,
      state: "open",
    } as const;
    return step(charge, null, openDispute(notification, contextOf(charge)) as DisputeTransition);
  });
  add(opened.map(({ transition }) => transition));
  const steps = [
    (dispute: Dispute) =>
      submitEvidence(dispute, { uncategorized_text: "Delivered" }, contextOf(of(dispute))),
    (dispute: Dispute) => applyMissedDeadline(dispute, contextOf(of(dispute))),
    (dispute: Dispute) => acceptDispute(dispute, contextOf(of(dispute))),
    (dispute: Dispute) => acceptDispute(dispute, contextOf(of(dispute))),
    (dispute: Dispute) => applyMissedDeadline(dispute, contextOf(of(dispute))),
    (dispute: Dispute) => closeRefunded(dispute, contextOf(of(dispute))),
  ];
  const moved = opened.map(({ dispute }, index) =>
    step(of(dispute), dispute.status, steps[index]?.(dispute) as DisputeTransition),
  );
  add(moved.map(({ transition }) => transition));
  add(
    moved.slice(0, 2).map(({ dispute }) => {
      const move = decideDispute(
        dispute,
        dispute.evidence ? "won" : "lost",
        contextOf(of(dispute)),
      );
      return step(of(dispute), dispute.status, move).transition;
    }),
  );

  // Payouts.
  const fields = { scope: single, price: { amountMinor: 700, currency: "usd" } } as const;
  const started = [null, "2026-05-15", "2026-05-16"].map((day) =>
    beginPayout(
      {
        ...fields,
        day,
        part: 1,
        capturedBefore: day === null ? null : now,
        description: null,
        metadata: {},
      },
      now,
    ),
  );
  add(
    started.map(({ payout, entry }) => ({
      scope: single,
      change: newPayout(payout, now),
      entries: [entry],
    })),
  );
  const replies = [
    { kind: "in_transit", arrivesAt: now },
    { kind: "paid" },
    { kind: "failed" },
  ] as const;
  const sent = started.map(({ payout }, index) =>
    applyPayoutResponse(payout, replies[index] as never, now),
  );
  add(sent.map((move) => payoutTransition(move as never, now)));
  const arrived = applyPayoutResponse(sent[0]?.payout as Payout, { kind: "paid" }, now);
  add([payoutTransition(arrived as never, now)]);

  const batch = { connection: newId("con", now), merchantAccount: "FieldwareECOM", batch: "7" };
  const amounts = { settled: 1911, fees: 28, net: 1971, paid: 1971 };
  const posted = [1, 2].map((part) =>
    postSettlement(
      { ...amounts, ...batch, scope: single, currency: "usd", part, converted: part },
      now,
    ),
  );
  add(
    posted.map(({ settlement, entries }) => ({
      scope: single,
      change: newSettlement(settlement),
      entries,
    })),
  );

  // Sessions that expire.
  const abandoned = [addSession(), addSession()];
  add(
    abandoned.map((session) => {
      const expired = { ...session, status: "expired", version: 2 } as const;
      return expiryTransition(expired, { cause: null, now });
    }),
  );

  function begin(fields: Partial<ProcessingCharge>): ProcessingCharge {
    const idempotencyKey = `charge ${charges.length}`;
    const request = { id: newId("req", now), idempotencyKey };
    const charge = processingCharge(single, now, { request, ...fields });
    charges.push(charge);
    current.set(charge.id, charge);
    return charge;
  }

  function addSession(): CheckoutSession {
    const session = newOpenSession(single, now);
    sessions.push(session);
    return session;
  }

  function inSession(): Partial<ProcessingCharge> {
    return { checkoutSessionId: addSession().id };
  }

  function decide<From extends Charge>(charge: From, next: (charge: From) => Charge): Transition {
    const decided = next(charge);
    current.set(decided.id, decided);
    const paying = sessions.find(({ id }) => id === charge.checkoutSessionId);
    const session = paying ? { ...paying, attempts: 1, version: 2 } : null;
    return chargeTransition(deps, decided, { session, pricing, now });
  }

  function of({ chargeId }: Dispute): SucceededCharge {
    return current.get(chargeId) as SucceededCharge;
  }

  function operate(
    kind: OperationKind,
    chargeId: Id<"ch"> | undefined,
    amountMinor: number,
    hasKey = true,
  ): ProcessingOperation {
    const charge = current.get(chargeId as Id<"ch">) as Charge;
    const prepared = operationRules[kind].prepare(charge, amountMinor, now);
    if (prepared.charge) current.set(charge.id, prepared.charge);
    const idempotencyKey = hasKey ? `operation ${operationKeys.length}` : null;
    if (idempotencyKey) operationKeys.push(idempotencyKey);
    const operation: ProcessingOperation = {
      id: newId("op", now),
      scope: single,
      kind,
      chargeId: charge.id,
      version: 1,
      status: "processing",
      pendingReason: null,
      price: { amountMinor: prepared.amountMinor, currency: "usd" },
      reason: kind === "refund" ? "requested_by_customer" : null,
      metadata: {},
      request: { id: newId("req", now), idempotencyKey },
      acquirerReference: null,
      inquiries: 0,
    };
    intents.push({
      scope: single,
      change: newOperation(operation, { by: 1, person: null, dueAt: now }),
      charge: prepared.charge && amountsOf(prepared.charge),
    });
    return operation;
  }

  function receive(before: ProcessingOperation, received: OperationOutcome) {
    const charge = current.get(before.chargeId) as Charge;
    const operation = applyOperationResponse(before, received, newId("txn", now));
    assert(operation);
    const kind = operationRules[before.kind];
    const effect = kind.applyOutcome(before, operation, { charge, pricing, now, render });
    current.set(charge.id, effect.charge);
    const response = kind.response(operation, effect.charge, render);
    const dueAt = operation.status === "processing" ? now : null;
    const recorded = { before: charge, effect, response, dueAt, now };
    return { operation, transition: operationTransition(operation, recorded) };
  }

  function step(before: SucceededCharge, from: Dispute["status"] | null, move: DisputeTransition) {
    current.set(before.id, move.charge);
    const transition = disputeTransition(before, move, { from, cause: null, now });
    return { dispute: move.dispute, transition };
  }

  function contextOf(charge: SucceededCharge) {
    return { charge, feeMinor: 1500, now };
  }
}
