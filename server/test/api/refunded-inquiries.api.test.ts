import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeChecked } from "../close-checked.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { day, second } from "../test-clock.ts";

const shop = await startShop();
after(() => closeChecked(shop));

const read = async (path: string) => (await shop.get(path)).body;
const refund = (charge_id: string, amount?: number) =>
  shop.post("/refunds", { charge_id, ...(amount !== undefined && { amount }) });
const evidence = { uncategorized_text: "It was delivered." };

async function createInquiry(method = "pm_card_visa") {
  const price = { amount: 1999, currency: "usd", payment_method_id: method };
  const charge: string = (await shop.post("/charges", price)).body.id;
  const body = { charge_id: charge, is_inquiry: true };
  const inquiry: string = (await shop.post("/test_helpers/disputes", body)).body.id;
  return { charge, inquiry };
}

async function assertClosed(inquiry: string): Promise<void> {
  const { status, is_inquiry, funds_withdrawn, amount } = await read(`/disputes/${inquiry}`);
  assert.deepEqual([status, is_inquiry, funds_withdrawn, amount], ["won", true, false, 1999]);
}

const typesOf = async (id: string) => (await shop.events(id)).map(({ type }) => type);

test("a full refund of the charge closes its inquiry without a loss", async () => {
  const { charge, inquiry } = await createInquiry();
  assert.equal((await refund(charge)).body.status, "succeeded");
  await assertClosed(inquiry);
  const [, closed] = await shop.events(inquiry);
  const [refunded] = (await shop.events()).filter(
    ({ type, data }) => type === "refund.succeeded" && data.object.charge_id === charge,
  );
  assert.equal(closed.type, "dispute.closed");
  assert.deepEqual(closed.data.object, await read(`/disputes/${inquiry}`));
  assert.deepEqual(closed.request, refunded?.request);
  const timeline = JSON.stringify(await read(`/charges/${charge}/timeline`));
  assert.ok(timeline.includes("dispute.closed"), timeline);
  assert.equal(errorOf(await shop.post(`/disputes/${inquiry}/accept`, {}))[2], "dispute_closed");

  shop.clock.advance(15 * day);
  await until(
    async () => shop.app.database.read`select from disputes where response_due_at is not null`,
    (rows) => rows.length === 0,
  );
  await assertClosed(inquiry);
  assert.deepEqual(await typesOf(inquiry), ["dispute.opened", "dispute.closed"]);
});

test("a partial refund leaves an inquiry open, and the refund of the remainder closes it", async () => {
  const { charge, inquiry } = await createInquiry();
  await refund(charge, 1998);
  assert.equal((await read(`/disputes/${inquiry}`)).status, "needs_response");
  await shop.post(`/disputes/${inquiry}/evidence`, evidence);
  await refund(charge, 1);
  await assertClosed(inquiry);
});

test("an inquiry stays open while a refund of its charge is pending", async () => {
  const { charge, inquiry } = await createInquiry("pm_card_pendingRefund");
  const refunds = [await refund(charge, 1000), await refund(charge, 999)];
  assert.deepEqual(
    refunds.map(({ body }) => body.status),
    ["pending", "pending"],
  );
  assert.equal((await read(`/disputes/${inquiry}`)).status, "needs_response");
  shop.clock.advance(31 * second);
  await until(
    () => read(`/disputes/${inquiry}`),
    ({ status }) => status === "won",
  );
  for (const { body } of refunds) {
    assert.equal((await read(`/refunds/${body.id}`)).status, "succeeded");
  }
  assert.deepEqual(await typesOf(inquiry), ["dispute.opened", "dispute.closed"]);
});

test("an inquiry that a refund has closed stays closed when the refund fails later", async () => {
  const { charge, inquiry } = await createInquiry();
  const { id } = (await refund(charge)).body;
  await shop.post(`/test_helpers/refunds/${id}/fail`, {});
  await assertClosed(inquiry);
  const again = await shop.post("/test_helpers/disputes", { charge_id: charge });
  assert.equal(again.status, 201);
  assert.notEqual(again.body.id, inquiry);
});

test("a dispute that has debited the merchant is not closed by a refund of the rest", async () => {
  const { charge } = await createInquiry();
  const body = { charge_id: charge, amount: 500 };
  const { id } = (await shop.post("/test_helpers/disputes", body)).body;
  await refund(charge);
  const states = (await read(`/disputes?charge_id=${charge}`)).data.map(
    ({ status }: { status: string }) => status,
  );
  assert.deepEqual(states, ["needs_response", "needs_response"]);
  assert.equal((await read(`/disputes/${id}`)).funds_withdrawn, true);
});

test("if a full refund and evidence are concurrent, either can come first, and the inquiry is closed once", async () => {
  const responses = new Set<unknown>();
  for (let round = 0; round < 8; round++) {
    const { charge, inquiry } = await createInquiry();
    const submit = () => shop.post(`/disputes/${inquiry}/evidence`, evidence);
    // Submits the evidence before the refund in the first round, after the refund in the last round, and concurrently
    // in the other rounds.
    if (round === 0) responses.add((await submit()).status);
    const [refunded, submitted] = await Promise.all(
      round === 0 ? [refund(charge)] : round === 7 ? [refund(charge)] : [refund(charge), submit()],
    );
    assert.equal(refunded?.body.status, "succeeded");
    const late = round === 7 ? await submit() : submitted;
    if (late) responses.add(late.status === 200 ? 200 : errorOf(late)[2]);
    await assertClosed(inquiry);
    assert.deepEqual(await typesOf(inquiry), ["dispute.opened", "dispute.closed"]);
  }
  assert.deepEqual(responses, new Set([200, "dispute_closed"]));
});
