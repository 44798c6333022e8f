import assert from "node:assert/strict";
import { test } from "node:test";
import { startAdyenShop } from "../adyen.ts";
import { apiKey, createConnectionClient, hmacKey, sandboxAdyen } from "../connection.ts";
import { createPerson } from "../person.ts";
import { errorOf } from "../shop.ts";
import { hour } from "../test-clock.ts";
import { until } from "../until.ts";

const { adyen, shop } = await startAdyenShop({
  workers: false,
  inRealTime: false,
});

const operator = await createPerson(shop, { operator: true, secondFactor: true });
const connections = createConnectionClient(shop, operator);
const account = "accounts/FieldwareECOM";
const newHmacKey = "CD".repeat(32);

/** Sends a notification as the button in Adyen's console does. Returns whether the service accepted it. */
const sendTestNotification = async () =>
  (await adyen.control<{ delivered: boolean }>(`POST ${account}/test_notification`)).delivered;

const notificationOf = async (id: string) => (await connections.read(id)).body.notification;

test("a connection is activated after Adyen's test notification, and a rotated HMAC key is accepted alongside the previous one", async () => {
  const { id, webhook_url } = (await connections.create(sandboxAdyen)).body;
  await adyen.control(`PUT ${account}`, { webhookUrl: webhook_url });
  assert.equal(await sendTestNotification(), false, "without secrets nothing can be verified");
  await connections.change("PUT", id, "secrets", { api_key: apiKey, hmac_key: newHmacKey });
  assert.equal(await sendTestNotification(), false, "a wrong HMAC key");
  assert.equal(await notificationOf(id), null);

  await connections.change("PUT", id, "secrets", { hmac_key: hmacKey, overlap_hours: 0 });
  assert.equal((await connections.change("POST", id, "test")).body.state, "tested");
  const early = await connections.change("POST", id, "activate");
  assert.deepEqual(errorOf(early), [400, "invalid_request_error", "connection_not_ready"]);
  assert.equal(await sendTestNotification(), true);
  await until(
    () => notificationOf(id),
    (seen) => seen?.secrets_version === 2,
  );
  assert.equal((await connections.change("POST", id, "activate")).body.state, "active");

  // The operator stores the new key before Adyen uses it.
  await connections.change("PUT", id, "secrets", { hmac_key: newHmacKey });
  assert.equal(await sendTestNotification(), true, "signed with the previous key");
  assert.equal((await notificationOf(id)).secrets_version, 2);
  await adyen.control(`PUT ${account}`, { hmacKey: newHmacKey });
  assert.equal(await sendTestNotification(), true, "signed with the new key");
  await until(
    () => notificationOf(id),
    (seen) => seen.secrets_version === 3,
  );

  await adyen.control(`PUT ${account}`, { hmacKey });
  assert.equal(await sendTestNotification(), true, "the overlap lasts for 24 hours");
  shop.clock.advance(25 * hour);
  assert.equal(await sendTestNotification(), false, "the overlap has ended");
});
