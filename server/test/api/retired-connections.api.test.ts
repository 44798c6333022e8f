import assert from "node:assert/strict";
import { test } from "node:test";
import { createCheckout } from "../checkout.ts";
import {
  approvedCard,
  channel,
  connectCheckoutCom,
  startCheckoutComShop,
} from "../checkout-com.ts";
import { createConnectionClient } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf } from "../shop.ts";
import { day, hour } from "../test-clock.ts";
import { until } from "../until.ts";

/** Tests authorizations whose void the acquirer declines, before and after the connection is retired. */
const { checkoutCom, shop } = await startCheckoutComShop();
const { account, key } = await connectCheckoutCom(shop, checkoutCom);

const read = async (id: string) => (await shop.get(`/charges/${id}`, { as: key })).body;

/** Authorizes a charge in the card form. Returns its ID. */
async function authorize(): Promise<string> {
  const browser = await createCheckout(shop, { capture_method: "manual" }, key);
  const { body } = await browser.type(approvedCard.number, { cvc: approvedCard.cvc });
  const confirmed = await browser.confirm(body.payment_method_id);
  const { data } = (await shop.get("/charges?limit=1", { as: key })).body;
  assert.equal(data[0]?.status, "authorized", confirmed.text);
  return data[0].id;
}

/** Waits until the acquirer has declined this number of voids. */
async function declinedVoids(count: number): Promise<void> {
  await checkoutCom.control("POST clock", { advanceMs: 1_000 });
  await until(
    () => shop.app.database.read`select from operations where kind = 'void' and status = 'failed'`,
    (rows) => rows.length === count,
  );
}

/** Retires the connection. The operator signs in for each attempt, because the clock advances in between. */
async function retire() {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  const reason = "Replaced by another connection.";
  const { data } = (await operator.send("GET", `/operator/v1/assignments?account=${account}`)).body;
  const [{ id, version, state, connection }] = data;
  if (state === "active") {
    await operator.send("POST", `/operator/v1/assignments/${id}/end`, { version, reason });
    await connections.change("POST", connection, "drain");
  }
  return connections.change("POST", connection, "retire");
}

test("an expired authorization whose void was declined does not keep the connection, and is canceled afterwards", async () => {
  const held = await authorize();
  await checkoutCom.fault("voids", "declined_later", { channel });
  await shop.post(`/charges/${held}/cancel`, {}, { as: key });
  await declinedVoids(1);
  // The authorization is still valid, so the charge can be captured.
  assert.equal((await read(held)).status, "authorized");
  const early = await retire();
  assert.equal(errorOf(early)[2], "status_transition_invalid", early.text);
  assert.match(early.body.error.message, /authorized charges, .* \(1\)/);

  await checkoutCom.fault("voids", "declined_later", { channel });
  shop.clock.advance(7 * day + hour);
  await until(
    () => shop.app.database.read`select from operations where kind = 'void'`,
    ({ length }) => length === 2,
  );
  await declinedVoids(2);
  // The notification of the declined void may still be pending, although its outcome is recorded.
  await until(retire, ({ body }) => body.state === "retired");

  shop.clock.advance(day);
  const charge = await until(
    () => read(held),
    ({ status }) => status !== "authorized",
  );
  assert.deepEqual([charge.status, charge.pending_reason], ["canceled", null]);
  const { data: events } = (await shop.get("/events?limit=100", { as: key })).body;
  const ends = events.filter(({ type }: { type: string }) => type === "payment.canceled");
  assert.equal(ends.length, 1);
});
