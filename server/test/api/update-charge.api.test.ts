import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf, startShop, until } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const charge = async (change = {}) => (await shop.post("/charges", { ...visa, ...change })).body;

test("200: the description and metadata of a charge can be changed, and its version increases", async () => {
  const before = await charge({ description: "Order 7", metadata: { order: "7", kept: "yes" } });
  const change = { description: "Order 8", metadata: { order: "8", new: "" } };
  const { status, body } = await shop.post(`/charges/${before.id}`, change);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    ...before,
    version: before.version + 1,
    description: "Order 8",
    metadata: { order: "8", kept: "yes", new: "" },
  });
  assert.deepEqual((await shop.get(`/charges/${before.id}`)).body, body);
});

test("200: null removes a description or a metadata pair", async () => {
  const { id } = await charge({ description: "Order 7", metadata: { order: "7", kept: "yes" } });
  const { body } = await shop.post(`/charges/${id}`, {
    description: null,
    metadata: { order: null },
  });
  assert.deepEqual([body.description, body.metadata], [null, { kept: "yes" }]);
});

test("200: an empty update changes nothing", async () => {
  const before = await charge({ description: "Order 7" });
  const { status, body } = await shop.post(`/charges/${before.id}`, {});
  assert.deepEqual([status, body.description], [200, "Order 7"]);
});

test("200: concurrent updates are all stored", async () => {
  const { id } = await charge();
  const names = Array.from({ length: 20 }, (_, index) => `k${index}`);
  await Promise.all(
    names.map((name) => shop.post(`/charges/${id}`, { metadata: { [name]: "set" } })),
  );
  assert.deepEqual(
    Object.keys((await shop.get(`/charges/${id}`)).body.metadata).sort(),
    names.sort(),
  );
});

test("200: an update of a charge without an outcome is kept when the outcome arrives", async () => {
  const { id, status } = await charge({ amount: 9_004_005 });
  assert.equal(status, "processing");
  await shop.post(`/charges/${id}`, { metadata: { order: "7" } });
  shop.clock.advance(60_000);
  const settled = await until(
    async () => (await shop.get(`/charges/${id}`)).body,
    (charge) => charge.status !== "processing",
  );
  assert.deepEqual([settled.status, settled.metadata], ["succeeded", { order: "7" }]);
});

for (const name of ["amount", "currency", "status", "payment_method_id", "capture_method"]) {
  test(`400: ${name} cannot be changed`, async () => {
    const { id } = await charge();
    assert.deepEqual(errorOf(await shop.post(`/charges/${id}`, { [name]: visa.amount })), [
      400,
      "invalid_request_error",
      "parameter_unknown",
      name,
    ]);
  });
}

test("400: an update with too much metadata is rejected as a whole", async () => {
  const pairs = (from: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, "v"]));
  const { id } = await charge({ metadata: pairs(0, 30) });
  assert.deepEqual(errorOf(await shop.post(`/charges/${id}`, { metadata: pairs(30, 21) })), [
    400,
    "invalid_request_error",
    "metadata_invalid",
    "metadata",
  ]);
  assert.equal(Object.keys((await shop.get(`/charges/${id}`)).body.metadata).length, 30);
});

test("404: rejects an update of an unknown charge", async () => {
  assert.deepEqual(errorOf(await shop.post("/charges/ch_01jb0000000000000000000000", {})), [
    404,
    "invalid_request_error",
    "resource_missing",
    "id",
  ]);
});
