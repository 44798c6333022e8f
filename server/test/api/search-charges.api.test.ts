import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Charge } from "@florin/contract/charge.ts";
import { displayStatuses, displayStatusOf } from "@florin/contract/display-status.ts";
import fc from "fast-check";
import { type ChargeId, newId, uuidOf } from "../../src/core/ids.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { blockSize } from "../../src/payments/charges/charge-search.ts";
import { indexCharges, indexLateCharges } from "../../src/payments/charges/index-charges.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";
import { dose } from "../test-size.ts";

// Starts no workers. The tests index the charges themselves, so that the content of the index is certain.
const shop = await startShop({ workers: false });
after(() => shop.close());
const { account } = shop.merchant;
const scope = { account, livemode: false };

const cards = ["pm_card_visa", "pm_card_mastercard", "pm_card_amex", "pm_card_visa_chargeDeclined"];
const colors = ["red", "green", "blue"];

/** Creates charges of every kind, in a pattern that does not repeat from one index block to the next. */
async function createCharges(from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 20) {
    const length = Math.min(20, to - n);
    await Promise.all(Array.from({ length }, (_, index) => createCharge(n + index)));
    shop.clock.advance(1_000);
  }
}

async function createCharge(n: number): Promise<void> {
  const { status, body } = await shop.post("/charges", {
    amount: 100 + ((n * 7919) % 5_000),
    currency: n % 5 === 0 ? "eur" : "usd",
    payment_method_id: cards[(n * 31) % cards.length],
    ...(n % 11 === 0 && { capture_method: "manual" }),
    metadata: { order: String(n), color: colors[(n * 17) % 3] },
  });
  if (n % 13 !== 0 || status !== 201 || body.status !== "succeeded") return;
  const amount = n % 2 === 0 ? body.amount : 50;
  await shop.post("/refunds", { charge_id: body.id, amount });
}

async function indexAll(): Promise<void> {
  shop.clock.advance(10 * 60_000);
  const enter = () =>
    shop.app.database.transaction((tx) => indexCharges(tx, scope, shop.clock.now()));
  while (await enter());
}

/** Returns all charges, read without a filter. */
async function allCharges(): Promise<Charge[]> {
  const all: Charge[] = [];
  for (let cursor = ""; ; cursor = `&starting_after=${all.at(-1)?.id}`) {
    const { body } = await shop.get(`/charges?limit=100${cursor}`);
    all.push(...body.data);
    if (!body.has_more) return all;
  }
}

async function search(query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ""; ; cursor = `&starting_after=${ids.at(-1)}`) {
    const { body, status } = await shop.get(`/charges?limit=37&${query}${cursor}`);
    assert.equal(status, 200, JSON.stringify(body));
    ids.push(...body.data.map(({ id }: Charge) => id));
    if (!body.has_more) return ids;
  }
}

await createCharges(0, 3 * blockSize + 40);
await indexAll();
// Creates charges that are not indexed yet.
await createCharges(3 * blockSize + 40, 3 * blockSize + 100);
const createdCharges = await allCharges();

type Clause = { query: string; matches: (charge: Charge) => boolean };
const statuses = ["processing", "authorized", "succeeded", "failed", "canceled"] as const;
const clauses: Record<string, fc.Arbitrary<Clause>> = {
  status: fc.subarray([...statuses], { minLength: 1 }).map((some) => ({
    query: `status=${some.join(",")}`,
    matches: ({ status }) => some.some((one) => one === status),
  })),
  displayStatus: fc.subarray([...displayStatuses], { minLength: 1 }).map((some) => ({
    query: `display_status=${some.join(",")}`,
    matches: (charge) => some.includes(displayStatusOf(charge, false)),
  })),
  currency: fc.constantFrom("usd", "eur", "gbp").map((value) => ({
    query: `currency=${value}`,
    matches: ({ currency }) => currency === value,
  })),
  brand: fc.constantFrom("visa", "amex", "jcb").map((value) => ({
    query: `brand=${value}`,
    matches: (charge) => charge.payment_method_details.card.brand === value,
  })),
  last4: fc.constantFrom(...new Set(createdCharges.map(last4Of)), "9999").map((value) => ({
    query: `last4=${value}`,
    matches: (charge) => last4Of(charge) === value,
  })),
  amount: fc.tuple(fc.nat(5_200), fc.nat(3_000)).map(([min, more]) => ({
    query: `amount[gte]=${min}&amount[lt]=${min + more}`,
    matches: ({ amount }) => amount >= min && amount < min + more,
  })),
  decline: fc.constantFrom("generic_decline", "insufficient_funds").map((value) => ({
    query: `decline_code=${value}`,
    matches: (charge) => charge.decline_code === value,
  })),
  refunded: fc.boolean().map((value) => ({
    query: `refunded=${value}`,
    matches: ({ refunded }) => refunded === value,
  })),
  disputed: fc.boolean().map((value) => ({
    query: `disputed=${value}`,
    matches: ({ disputed }) => disputed === value,
  })),
  method: fc.constantFrom(...cards).map((value) => ({
    query: `payment_method_id=${value}`,
    matches: (charge) => charge.payment_method_id === value,
  })),
  order: fc.nat(3 * blockSize + 90).map((value) => ({
    query: `metadata[order]=${value}`,
    matches: ({ metadata }) => metadata.order === String(value),
  })),
  color: fc.constantFrom(...colors).map((value) => ({
    query: `metadata[color]=${value}`,
    matches: ({ metadata }) => metadata.color === value,
  })),
};

function last4Of(charge: Charge): string {
  return charge.payment_method_details.card.last4 ?? "";
}

const filters = fc
  .subarray(Object.keys(clauses), { minLength: 1, maxLength: 4 })
  .chain((names) => fc.tuple(...names.map((name) => clauses[name] as fc.Arbitrary<Clause>)));

test("200: any combination of filters finds exactly the matching charges, newest first", async () => {
  await fc.assert(
    fc.asyncProperty(filters, async (chosen) => {
      const expected = createdCharges.filter((charge) =>
        chosen.every(({ matches }) => matches(charge)),
      );
      const found = await search(chosen.map(({ query }) => query).join("&"));
      assert.deepEqual(
        found,
        expected.map(({ id }) => id),
      );
    }),
    { numRuns: dose("searches", { short: 50, long: 2_000 }) },
  );
});

test("200: a filtered list can be paged backwards", async () => {
  const expected = createdCharges.filter(({ currency }) => currency === "eur").map(({ id }) => id);
  const listed = [expected.at(-1) as string];
  for (;;) {
    const query = `/charges?currency=eur&limit=9&ending_before=${listed[0]}`;
    const { body } = await shop.get(query);
    listed.unshift(...body.data.map(({ id }: Charge) => id));
    if (!body.has_more) break;
  }
  assert.deepEqual(listed, expected);
});

test("200: a charge is found by its current metadata after a change", async () => {
  const charge = createdCharges.at(-5) as Charge;
  await shop.post(`/charges/${charge.id}`, { metadata: { order: "changed", color: null } });
  assert.deepEqual(await search("metadata[order]=changed"), [charge.id]);
  assert.deepEqual(await search(`metadata[order]=${charge.metadata.order}`), []);
  await shop.post(`/charges/${charge.id}`, { metadata: charge.metadata });
  assert.deepEqual(
    await search(`metadata[order]=${charge.metadata.order}&currency=${charge.currency}`),
    [charge.id],
  );
});

test("200: a charge that was written after later charges were indexed is found once it has an outcome", async () => {
  // Inserts a charge with an earlier id, as if its server had paused between generating and writing it.
  const created = createdCharges.at(-150) as Charge;
  const id = newId("ch", new Date(created.created * 1000 + 500));
  await shop.app.database.transaction(
    (tx) => tx`
      insert into charges (account_id, livemode, id, status, amount, currency, capture_method, processor,
                           payment_method_id, card, decision_outcome, risk_score, claimed_by, metadata)
      select account_id, livemode, ${uuidOf(id)}, 'processing', amount, 'chf', capture_method, processor,
             payment_method_id, card, decision_outcome, risk_score, 0, '{"order":"late"}'
        from charges
       where id = ${uuidOf(created.id as ChargeId)}`,
  );
  assert.deepEqual(await search("metadata[order]=late"), []);
  const notification = { account, livemode: false, reference: id, response: { kind: "not_sent" } };
  const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);
  const secret = await keys.mac(false, Buffer.from("simulator_notifications"));
  const path = `/acquirers/simulator/notifications/${secret.toString("base64url")}`;
  const received = await shop.sendInternal("POST", path, {
    body: { type: "charge", notification: notification },
  });
  assert.equal(received.status, 204, received.text);
  // The outcome only adds the charge to the queue of the indexing job. The job then indexes it.
  assert.deepEqual(await search("metadata[order]=late"), []);
  await shop.app.database.transaction(indexLateCharges);
  assert.deepEqual(await search("metadata[order]=late"), [id]);
  assert.deepEqual(await search("currency=chf&status=failed"), [id]);
  assert.deepEqual(await search("currency=chf&status=succeeded"), []);
  assert.equal(await shop.app.database.transaction(indexLateCharges), false);
});

test("200: an authorized charge is found in its new status after a capture or cancel", async () => {
  const [taken, released] = createdCharges
    .filter(({ status }) => status === "authorized")
    .slice(-2) as [Charge, Charge];
  await shop.post(`/charges/${taken.id}/capture`);
  await shop.post(`/charges/${released.id}/cancel`);
  assert.ok(
    (await search(`status=succeeded&metadata[order]=${taken.metadata.order}`)).includes(taken.id),
  );
  assert.deepEqual(await search("status=canceled"), [released.id]);
});

test("200: an email address finds the payments with that address and those of the customer with that address", async () => {
  const { body: customer } = await shop.post("/customers", { email: "Ada@example.com" });
  const { body: charge } = await shop.post("/charges", {
    amount: 999,
    currency: "usd",
    payment_method_id: "pm_card_visa",
    customer_id: customer.id,
  });
  assert.deepEqual(await search("customer_email=ada@example.com"), [charge.id]);
  assert.deepEqual(await search("customer_email=ADA@EXAMPLE.COM&status=failed"), []);
  assert.deepEqual(await search("customer_email=bob@example.com"), []);
});

test("200: a client_reference_id finds its charges", async () => {
  const charge = createdCharges[3] as Charge;
  await shop.app.database.transaction(
    (tx) =>
      tx`update charges set client_reference_id = 'order 7' where id = ${uuidOf(charge.id as `ch_${string}`)}`,
  );
  assert.deepEqual(await search("client_reference_id=order%207"), [charge.id]);
  assert.deepEqual(await search("client_reference_id=order%208"), []);
});

test("200: a count is the number of charges in the list with the same filters", async () => {
  for (const query of [
    "",
    "currency=eur",
    "status=failed",
    "last4=4242&status=succeeded",
    "metadata[color]=red&brand=visa",
    "decline_code=generic_decline",
    "refunded=false",
    `created[gte]=${createdCharges.at(-9)?.created}`,
    "last4=9999",
  ]) {
    const { body } = await shop.get(`/charges/count?${query}`);
    const count = (await search(query)).length;
    assert.deepEqual(body, { object: "count", count, exact: true }, query);
  }
  const { body } = await shop.get("/charges/count", { as: shop.otherMerchant.key });
  assert.equal(body.count, 0);
});

test("200: a count stops at its maximum, and says that there may be more", async () => {
  const { key: as, account: other } = await shop.createMerchant();
  const start = shop.clock.now().getTime();
  const ids = Array.from({ length: 10_001 }, (_, index) => newId("ch", new Date(start + index)));
  await shop.app.database.transaction(
    (tx) => tx`
      insert into charges (account_id, livemode, id, status, amount, currency, capture_method, processor,
                           payment_method_id, card, decision_outcome, risk_score, claimed_by)
      select ${uuidOf(other)}, false, id, 'processing', 1999, 'usd', 'automatic', 'simulator', gen_random_uuid(),
             '{"brand":"visa","last4":"4242"}', 'approve', 1, 0
        from unnest(${ids.map(uuidOf)}::uuid[]) as id`,
  );
  for (const query of ["", "last4=4242"]) {
    const { body } = await shop.get(`/charges/count?${query}`, { as });
    assert.deepEqual(body, { object: "count", count: 10_000, exact: false }, query);
  }
});

type Hit = {
  type: string;
  id: string;
  match: string;
  name: string | null;
  status: string | null;
  display_status: string | null;
};

async function hits(query: string, as?: SecretKey): Promise<Hit[]> {
  const path = `/search?query=${encodeURIComponent(query)}`;
  const { status, body } = await shop.get(path, as === undefined ? {} : { as });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const found = async (query: string, match: string) =>
  (await hits(query)).filter((hit) => hit.match === match).map(({ id }) => id);

test("200: one search text finds payments by ID, reference, last four digits, amount and metadata", async () => {
  const charge = createdCharges[40] as Charge;
  const { id, amount, currency } = charge;
  assert.deepEqual(await found(id.slice(0, 20), "id"), [id]);
  assert.deepEqual(await found(id.slice(-8), "id"), [id]);
  assert.deepEqual(await found("order 7", "reference"), [createdCharges[3]?.id]);
  const newest = createdCharges.filter((one) => last4Of(one) === last4Of(charge)).slice(0, 5);
  assert.equal((await found(last4Of(charge), "last4")).length, newest.length);
  const decimal = (amount / 100).toFixed(2);
  const almost = { amount: amount + 1, currency, payment_method_id: "pm_card_visa" };
  const { body: other } = await shop.post("/charges", almost);
  for (const text of [decimal, `$${decimal}`, `${decimal} ${currency}`]) {
    const ids = await found(text, "amount");
    assert.ok(ids.includes(id) && !ids.includes(other.id), text);
  }
  assert.deepEqual(await found(`${decimal} gbp`, "amount"), []);
  // ¥19 and $19.00 have the same digits when written, but different amounts in the smallest unit.
  assert.deepEqual(await found(String(amount), "amount"), []);
  assert.deepEqual(await found(`order=${charge.metadata.order}`, "metadata"), [id]);
});

test("200: a found payment has the status that the dashboard shows after a refund or a dispute", async () => {
  const pay = async () => {
    const body = { amount: 7_700, currency: "usd", payment_method_id: "pm_card_visa" };
    return (await shop.post("/charges", body)).body.id as string;
  };
  const [paid, partlyRefunded, refunded, disputed] = [
    await pay(),
    await pay(),
    await pay(),
    await pay(),
  ];
  await shop.post("/refunds", { charge_id: partlyRefunded, amount: 700 });
  await shop.post("/refunds", { charge_id: refunded });
  const dispute = { charge_id: disputed, reason: "product_not_received" };
  assert.equal((await shop.post("/test_helpers/disputes", dispute)).status, 201);
  const statuses = new Map(
    (await hits("77.00")).map(({ id, status, display_status }) => [id, [status, display_status]]),
  );
  assert.deepEqual(statuses.get(paid), ["succeeded", "succeeded"]);
  assert.deepEqual(statuses.get(partlyRefunded), ["succeeded", "partially_refunded"]);
  assert.deepEqual(statuses.get(refunded), ["succeeded", "refunded"]);
  assert.deepEqual(statuses.get(disputed), ["succeeded", "disputed"]);
});

test("200: the beginning of words of a name or an email address finds a customer with payments", async () => {
  const { body: customer } = await shop.post("/customers", {
    email: "grace.hopper@navy.example",
    name: "Grace Brewster Hopper",
  });
  const { body: charge } = await shop.post("/charges", {
    amount: 4_321,
    currency: "usd",
    payment_method_id: "pm_card_visa",
    customer_id: customer.id,
  });
  for (const text of ["Brew", "hopp grac", "navy", "grace.hopper@navy.example", "GRACE HOPPER"]) {
    assert.deepEqual(
      (await hits(text)).map(({ type, id }) => [type, id]).sort(),
      [
        ["charge", charge.id],
        ["customer", customer.id],
      ],
      text,
    );
  }
  assert.deepEqual(await hits("opper"), []);
  assert.deepEqual(await hits("'|:*&!"), []);
  const { body: listed } = await shop.get("/customers?search=hopp");
  assert.deepEqual(
    listed.data.map(({ id }: Hit) => id),
    [customer.id],
  );
  const { body: byId } = await shop.get(`/customers?ids=${customer.id}&search=brew`);
  assert.equal(byId.data.length, 1);
  await shop.delete(`/customers/${customer.id}`);
  assert.deepEqual(await hits("Brewster"), []);
});

test("200: a search for a frequent word lists customers in pages without gaps, and another word finds an older customer", async () => {
  const { key: as, account: other } = await shop.createMerchant();
  const [first, ...rest] = Array.from({ length: 2_100 }, (_, index) =>
    newId("cus", new Date(shop.clock.now().getTime() + index)),
  );
  await shop.app.database.transaction(async (tx) => {
    await tx`
      insert into customers (account_id, livemode, id, name)
      values (${uuidOf(other)}, false, ${uuidOf(first as `cus_${string}`)}, 'Émile Zola')`;
    await tx`
      insert into customers (account_id, livemode, id, name)
      select ${uuidOf(other)}, false, id, 'Ada Smith' from unnest(${rest.map(uuidOf)}::uuid[]) as id`;
  });
  const listed: string[] = [];
  for (let cursor = ""; ; cursor = `&starting_after=${listed.at(-1)}`) {
    const { body } = await shop.get(`/customers?limit=100&search=smi%20ad${cursor}`, { as });
    listed.push(...body.data.map(({ id }: Hit) => id));
    if (!body.has_more) break;
  }
  assert.deepEqual(listed, rest.toReversed());
  const { body: upwards } = await shop.get(`/customers?search=smith&ending_before=${listed[50]}`, {
    as,
  });
  assert.deepEqual(
    upwards.data.map(({ id }: Hit) => id),
    listed.slice(40, 50),
  );
  assert.deepEqual(
    (await hits("émil", as)).map(({ id }) => id),
    [first],
  );
});

test("200: a search leaves out objects that the key may not read", async () => {
  const merchant = await shop.createMerchant();
  const as = merchant.key;
  await shop.app.database.transaction(
    (tx) => tx`update accounts set settlement_days = 0 where id = ${uuidOf(merchant.account)}`,
  );
  const visa = { amount: 9_000, currency: "usd", payment_method_id: "pm_card_visa" };
  const post = async (path: string, body: object) => (await shop.post(path, body, { as })).body.id;
  const [charge, disputed] = [await post("/charges", visa), await post("/charges", visa)];
  const hidden = [
    await post("/customers", { name: "Katherine Johnson" }),
    await post("/test_helpers/disputes", { charge_id: disputed }),
    await post("/payouts", { amount: 100, currency: "usd" }),
  ];
  const grace = await createPerson(shop, { account: merchant.account });
  const params = { name: "Reader", permissions: ["payments:read"] };
  const { secret } = (await grace.api("POST", "/api_keys", params)).body;
  for (const text of [...hidden, "Katherine"]) {
    assert.equal((await hits(text, as)).length, 1, text);
    assert.deepEqual(await hits(text, secret), [], text);
  }
  assert.equal((await hits(charge, secret)).length, 1);
});

test("200: a search finds only charges of its own merchant and mode", async () => {
  const { body } = await shop.get("/charges?currency=usd", { as: shop.otherMerchant.key });
  assert.deepEqual(body.data, []);
  const [charge] = createdCharges as [Charge];
  for (const text of [
    charge.id,
    charge.id.slice(0, 8),
    charge.id.slice(-8),
    last4Of(charge),
    "Ada",
  ]) {
    assert.deepEqual(await hits(text, shop.otherMerchant.key), [], text);
  }
});
