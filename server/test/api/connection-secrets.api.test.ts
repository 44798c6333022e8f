import assert from "node:assert/strict";
import { after, test } from "node:test";
import { suspendForRejectedCredentials } from "../../src/acquiring/connections/change-connection.ts";
import { readConnection } from "../../src/acquiring/connections/connection.sql.ts";
import { hmacKeysOf } from "../../src/acquiring/connections/connection-directory.ts";
import {
  connectionSecrets,
  decryptConnectionSecrets,
} from "../../src/acquiring/connections/connection-secrets.ts";
import { createLocalKeyProvider } from "../../src/vault/local-key-provider.ts";
import { rewrapSecrets } from "../../src/vault/rewrap-secrets.ts";
import {
  acceptingAcquirer,
  apiKey,
  createConnectionClient,
  createSecondDirectory,
  hmacKey,
} from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { hour, minute } from "../test-clock.ts";

const shop = await startShop({ workers: false, testConnection: acceptingAcquirer });
after(() => shop.close());
const { database } = shop.app;

const operator = await createPerson(shop, { operator: true, secondFactor: true });
const connections = createConnectionClient(shop, operator);
const path = "/operator/v1/connections";
const newHmacKey = "AB".repeat(32);

const { changes, directory } = createSecondDirectory(shop);
after(() => changes.close());

test("no response, audit entry, log line or column contains a secret", async () => {
  const { id } = await connections.createReady();
  const replies = [
    await connections.change("PUT", id, "secrets", { api_key: `${apiKey}-2` }),
    await connections.change("PUT", id, "secrets", { hmac_key: "not hexadecimal" }),
    await connections.read(id),
    await operator.send("GET", path),
    await operator.send("GET", `${path}/${id}/health`),
    await operator.send("GET", `${path}/${id}/responses`),
  ];
  const row = Object.entries(await connections.rowOf(id)).map(([name, value]) =>
    Buffer.isBuffer(value) ? `${name} ${value.toString("latin1")}` : `${name} ${value}`,
  );
  const places = [
    replies.map(({ text }) => text).join(),
    JSON.stringify(await connections.entriesOf(id)),
    JSON.stringify(shop.log),
    row.join(),
  ];
  for (const place of places) {
    assert.doesNotMatch(place, /AQEyhmfxK4|44782DEF|not hexadecimal/i);
  }
  assert.ok((await connections.entriesOf(id)).length >= 3);
});

test("the first upload of secrets must be complete, and each secret can be replaced separately later", async () => {
  const { id } = (await connections.create()).body;
  for (const [body, param] of [
    [{}, "api_key"],
    [{ hmac_key: hmacKey }, "api_key"],
    [{ api_key: apiKey }, "hmac_key"],
  ] as const) {
    const rejected = await connections.change("PUT", id, "secrets", body);
    assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", "parameter_missing", param]);
  }
  await connections.change("PUT", id, "secrets", { api_key: apiKey, hmac_key: hmacKey });
  await connections.change("PUT", id, "secrets", { hmac_key: newHmacKey });
  const stored = await readConnection(database.read, id);
  const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);
  const secrets = await decryptConnectionSecrets(keys, id, stored?.encrypted.current as Buffer);
  assert.deepEqual([secrets.apiKey.reveal(), secrets.hmacKey.reveal()], [apiKey, newHmacKey]);
  assert.equal(`${secrets.apiKey} ${JSON.stringify(secrets)}`.includes("AQEy"), false);
});

test("after a rotation the previous HMAC key is accepted until the overlap ends", async () => {
  const { id } = await connections.createActive();
  const rotated = await connections.change("PUT", id, "secrets", {
    hmac_key: newHmacKey,
    overlap_hours: 2,
  });
  assert.deepEqual([rotated.body.state, rotated.body.test.secrets_version], ["active", 2]);
  assert.equal(
    rotated.body.secrets.previous_until - rotated.body.secrets.configured_at,
    (2 * hour) / 1000,
  );
  await directory.reload();
  const open = directory.connection(id);
  assert(open);
  const keysAt = (time: Date) => {
    const { current, previous } = hmacKeysOf(open, time);
    return [current.reveal(), previous?.reveal() ?? null];
  };
  const now = shop.clock.now();
  assert.deepEqual(keysAt(now), [newHmacKey, hmacKey]);
  assert.deepEqual(keysAt(new Date(now.getTime() + 2 * hour)), [newHmacKey, null]);
  assert.equal(open.secrets.apiKey.reveal(), apiKey);
});

test("400: secrets that the acquirer rejects do not replace those of an active connection", async () => {
  const before = await connections.createActive();
  const rejected = await connections.change("PUT", before.id, "secrets", { api_key: "revoked" });
  assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", "connection_test_failed"]);
  assert.match(rejected.body.error.message, /The acquirer rejected the API key/);
  assert.deepEqual((await connections.read(before.id)).body, before);
});

test("a key rotation rewraps current and previous secrets, which decrypt unchanged", async () => {
  const { id } = await connections.createActive();
  await connections.change("PUT", id, "secrets", { hmac_key: newHmacKey });
  const before = await readConnection(database.read, id);
  const keys = createLocalKeyProvider(shop.settings.FLORIN_KEYS);
  await keys.rotate(true);
  assert.ok((await rewrapSecrets({ database, keys }, connectionSecrets, true)) >= 2);
  assert.equal(await rewrapSecrets({ database, keys }, connectionSecrets, true), 0);
  const rewrapped = await readConnection(database.read, id);
  assert(before && rewrapped);
  assert.equal(rewrapped.connection.version, before.connection.version);
  assert.notDeepEqual(rewrapped.encrypted.current, before.encrypted.current);
  const { current, previous } = rewrapped.encrypted;
  const opened = await Promise.all(
    [current, previous].map((one) => decryptConnectionSecrets(keys, id, one as Buffer)),
  );
  assert.deepEqual(
    opened.map(({ hmacKey }) => hmacKey.reveal()),
    [newHmacKey, hmacKey],
  );
});

test("rejected credentials suspend an active connection once, with an audit entry of the service", async () => {
  const { id } = await connections.createActive();
  const deps = { database, clock: shop.clock };
  await Promise.all([
    suspendForRejectedCredentials(deps, id),
    suspendForRejectedCredentials(deps, id),
  ]);
  const { body } = await connections.read(id);
  assert.equal(body.state, "suspended");
  assert.match(body.suspended_reason, /rejected the credentials of three requests in a row/);
  const suspensions = (await connections.entriesOf(id)).filter(
    ({ action }) => action === "connection.suspended",
  );
  assert.deepEqual(
    suspensions.map(({ actor_type }) => actor_type),
    ["service"],
  );
  await connections.change("PUT", id, "secrets", { api_key: "a-new-key" });
  assert.equal((await connections.change("POST", id, "resume")).body.state, "active");
});

test("only the first notification with the current secrets is recorded", async () => {
  const { id, version, notification } = await connections.createReady();
  shop.clock.advance(minute);
  await connections.notify(id);
  const { body } = await connections.read(id);
  assert.deepEqual([body.version, body.notification], [version, notification]);
  await connections.change("PUT", id, "secrets", { hmac_key: newHmacKey });
  await connections.notify(id);
  assert.equal((await connections.read(id)).body.notification.secrets_version, 2);
});
