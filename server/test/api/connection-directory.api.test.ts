import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { acceptingAcquirer, createConnectionClient, createSecondDirectory } from "../connection.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";
import { slowed } from "../slowness.ts";
import { testBackground } from "../test-timers.ts";
import { until } from "../until.ts";

const shop = await startShop({ workers: false, testConnection: acceptingAcquirer });
after(() => shop.close());

const operator = await createPerson(shop, { operator: true, secondFactor: true });
const connections = createConnectionClient(shop, operator);

const { changes, directory } = createSecondDirectory(shop);
after(() => changes.close());

test("after a reload, the connection directory of another process finds connections by ID and endpoint key", async () => {
  const { id, webhook_url } = await connections.createActive();
  const endpointKey = webhook_url.split("/").at(-2);
  await directory.reload();
  assert.equal(directory.connection(id)?.connection.id, id);
  assert.equal(directory.byEndpointKey(endpointKey)?.connection.id, id);
  assert.equal(directory.byEndpointKey("k".repeat(32)), null);
  const states: unknown[] = [];
  for (const action of ["suspend", "drain", "retire"]) {
    await connections.change("POST", id, action);
    await directory.reload();
    states.push(directory.connection(id)?.connection.state ?? null);
  }
  assert.deepEqual(states, ["suspended", "draining", null]);
  assert.equal(directory.byEndpointKey(endpointKey), null);
});

/** Returns how long the directory takes to find a suspension and a resumption by another process. */
async function timesUntilSeen(): Promise<number[]> {
  const { id } = await connections.createActive();
  const times: number[] = [];
  for (const [action, state] of [
    ["suspend", "suspended"],
    ["resume", "active"],
  ] as const) {
    const changed = await connections.change("POST", id, action);
    assert.equal(changed.body.state, state, changed.text);
    const changedAt = performance.now();
    await until(
      async () => directory.connection(id)?.connection.state,
      (seen) => seen === state,
    );
    times.push(performance.now() - changedAt);
  }
  return times;
}

const background = testBackground();

test("a change by another process takes effect within a second", async () => {
  const loops = [changes.start(background), directory.start(background)];
  try {
    for (const time of await timesUntilSeen()) assert.ok(time < slowed(1_000), `${time} ms`);
  } finally {
    for (const loop of loops) await loop.stop();
  }
});

test("while the change feed is not read, a change takes effect within a little more than a second", async () => {
  const loop = directory.start(background);
  try {
    for (const time of await timesUntilSeen()) assert.ok(time < slowed(1_500), `${time} ms`);
  } finally {
    await loop.stop();
  }
});

test("connections and assignments are read again only after a change", async () => {
  const loops = [changes.start(background), directory.start(background)];
  try {
    const { id } = await connections.createActive();
    await timesUntilSeen();
    await sleep(500);
    const open = directory.connection(id);
    await sleep(1_500);
    // The directory has not reloaded the connection: a reload would have created a new object.
    assert.equal(directory.connection(id), open);
  } finally {
    for (const loop of loops) await loop.stop();
  }
});
