import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newId } from "../../src/core/ids.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const large = {
  list: "charges",
  name: "Large and failed",
  query: "status=failed&amount_from=100",
};

test("201: a view is created, updated, listed and deleted", async () => {
  const { status, body } = await shop.post("/saved_views", large);
  assert.equal(status, 201);
  assert.deepEqual([body.list, body.name, body.query], Object.values(large));
  const { body: renamed } = await shop.post(`/saved_views/${body.id}`, { name: "Large" });
  assert.deepEqual(renamed, { ...body, name: "Large" });
  assert.deepEqual((await shop.get("/saved_views")).body.data, [renamed]);
  assert.deepEqual((await shop.delete(`/saved_views/${body.id}`)).body, {
    id: body.id,
    object: "saved_view",
    deleted: true,
  });
  assert.deepEqual((await shop.get("/saved_views")).body.data, []);
});

test("400: rejects a view without a name or filters", async () => {
  for (const field of ["name", "query"]) {
    const reply = await shop.post("/saved_views", { ...large, [field]: " " });
    assert.deepEqual(errorOf(reply).at(-1), field);
    assert.equal(reply.status, 400);
  }
});

test("404: another merchant's view is not found", async () => {
  const { body } = await shop.post("/saved_views", large);
  const as = shop.otherMerchant.key;
  assert.deepEqual((await shop.get("/saved_views", { as })).body.data, []);
  for (const reply of [
    await shop.post(`/saved_views/${body.id}`, { name: "Mine" }, { as }),
    await shop.delete(`/saved_views/${body.id}`, { as }),
    await shop.delete(`/saved_views/${newId("view", shop.clock.now())}`),
  ]) {
    assert.deepEqual(errorOf(reply), [404, "invalid_request_error", "resource_missing", "id"]);
  }
});

test("403: a member who may only read payments uses the team's views, but cannot change them", async () => {
  const { body: view } = await shop.post("/saved_views", large);
  for (const role of ["support", "analyst"] as const) {
    const member = await createPerson(shop, { role });
    const listed = (await member.api("GET", "/saved_views")).body.data;
    assert.deepEqual(listed[0], view);
    for (const reply of [
      await member.api("POST", "/saved_views", large),
      await member.api("POST", `/saved_views/${view.id}`, { name: "Mine" }),
      await member.api("DELETE", `/saved_views/${view.id}`),
    ]) {
      assert.deepEqual(errorOf(reply).slice(0, 3), [
        403,
        "invalid_request_error",
        "permission_denied",
      ]);
    }
    assert.deepEqual((await shop.get("/saved_views")).body.data[0], view);
  }
});
