import assert from "node:assert/strict";
import type { Reply } from "../../client.ts";
import { awaitAllOutcomes, type Merchant } from "./merchant.ts";
import { decisionOf, type Model, type ModelCharge } from "./model.ts";
import { balanceOf } from "./payout-steps.ts";

type Body = Reply["body"];

/** Waits until no operation is in progress, and compares the model with all data that a merchant can read. */
export async function compare(model: Model, merchant: Merchant): Promise<void> {
  await awaitAllOutcomes(model, merchant);

  /** Asserts that a list contains exactly the created objects, each in the state of the model. */
  async function compareList<Created extends { readonly id: string }>(
    path: string,
    created: readonly Created[],
    read: (body: Body, created: Created) => unknown,
    expected: (created: Created) => unknown,
  ): Promise<void> {
    const found = new Map((await all(merchant, path)).map((body) => [body.id, body]));
    assert.deepEqual([...found.keys()].toSorted(), created.map(({ id }) => id).toSorted(), path);
    for (const object of created) {
      assert.deepEqual(read(found.get(object.id), object), expected(object), object.id);
    }
  }

  await compareList("/charges", model.charges, readCharge, expectedCharge);
  await compareList(
    "/refunds",
    model.refunds,
    ({ amount, status }) => ({ amount, status }),
    ({ amount, status }) => ({ amount, status }),
  );
  await compareList(
    "/disputes",
    model.disputes,
    ({ amount, status, is_inquiry }) => ({ amount, status, isInquiry: is_inquiry }),
    ({ amount, status, isInquiry }) => ({ amount, status, isInquiry }),
  );
  await compareList(
    "/checkout_sessions",
    model.sessions,
    (body) => [body.status, body.payment_status, body.attempts, body.charge_id],
    (session) => [
      session.status,
      session.paymentStatus,
      session.attempts,
      session.charge?.id ?? null,
    ],
  );
  await compareList(
    "/payouts",
    model.payouts,
    ({ amount, status }) => ({ amount, status }),
    ({ amount, status }) => ({ amount, status }),
  );
  await compareList("/rules", model.rules, nothing, nothing);
  await compareList("/list_entries", model.blocks, nothing, nothing);
  await compareDecisions(model, merchant);
  await compareBalance(model, merchant);
  await compareEvents(model, merchant);
}

const nothing = (): null => null;

function readCharge(body: Body, { declineCode }: ModelCharge) {
  return {
    status: body.status,
    pending: body.pending_reason,
    captured: body.amount_captured,
    refunded: body.amount_refunded,
    disputed: body.amount_disputed,
    isRefunded: body.refunded,
    decision: body.decision_id,
    // If the model has no decline code, any decline code is accepted.
    declineCode: declineCode === null ? null : body.decline_code,
  };
}

function expectedCharge(charge: ModelCharge): ReturnType<typeof readCharge> {
  const { status, captured, refunded, disputed, declineCode } = charge;
  return {
    status,
    pending: null,
    captured,
    refunded,
    disputed,
    isRefunded: captured > 0 && refunded === captured,
    decision: decisionOf(charge),
    declineCode,
  };
}

/** Compares the decisions that the merchant requested, and the service's decisions that placed a charge in review. */
async function compareDecisions(model: Model, merchant: Merchant): Promise<void> {
  if (model.decisions.length === 0 && model.charges.every(({ review }) => !review)) return;
  const found = new Map((await all(merchant, "/decisions")).map((body) => [body.id, body]));
  for (const { id, outcome, review, charge } of model.decisions) {
    const body = found.get(id);
    assert.deepEqual([body.outcome, body.review, body.charge_id], [outcome, review, charge], id);
  }
  for (const charge of model.charges) {
    const isHeld = charge.review && !charge.decision && charge.wasHeld;
    if (isHeld) assert.equal(found.get(decisionOf(charge)).review, charge.review, charge.id);
  }
}

async function compareBalance(model: Model, merchant: Merchant): Promise<void> {
  const body = await merchant.read("/balance");
  const [available, pending] = [body.available[0]?.amount ?? 0, body.pending[0]?.amount ?? 0];
  assert.deepEqual({ available, pending }, balanceOf(model), "the balance");
  const transactions = await all(merchant, "/balance_transactions");
  const nets = transactions.reduce((sum, { net }) => sum + net, 0);
  assert.equal(available + pending, nets, "the balance is the sum of its transactions");
}

async function compareEvents(model: Model, merchant: Merchant): Promise<void> {
  const events = await all(merchant, "/events");
  const found = events.map(({ type, data }) => `${type} ${data.object.id}`).toSorted();
  assert.deepEqual(found, model.events.toSorted(), "the events");
}

async function all(merchant: Merchant, path: string): Promise<Body[]> {
  const { data, has_more } = await merchant.read(`${path}?limit=100`);
  assert.equal(has_more, false, `${path} has more than one page`);
  return data;
}
