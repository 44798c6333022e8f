import assert from "node:assert/strict";
import { after, test } from "node:test";
import { whileDatabaseIsClosed } from "../close-database.ts";
import { startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const request = async (path: string) => {
  const { status, body } = await shop.send("GET", path);
  return [status, body.status ?? body.error.code];
};

test("a process is ready while it reaches its database, and alive in any case", async () => {
  assert.deepEqual(await request("/livez"), [200, "live"]);
  assert.deepEqual(await request("/readyz"), [200, "ready"]);

  await whileDatabaseIsClosed(shop.settings.DATABASE_URL, async () => {
    assert.deepEqual(await request("/readyz"), [503, "service_unavailable"]);
    assert.deepEqual(await request("/livez"), [200, "live"]);
  });

  assert.deepEqual(await request("/readyz"), [200, "ready"]);
});
