import assert from "node:assert/strict";
import { startAdyenFake } from "@florin/adyen-fake/adyen-fake.ts";
import type { AccountId } from "../src/core/ids.ts";
import type { SecretKey } from "../src/identity/api-keys/key-text.ts";
import type { Browser } from "./checkout.ts";
import { apiKey, createConnectionClient, hmacKey, sandboxAdyen } from "./connection.ts";
import { controlFake, type FakeControl } from "./fake-control.ts";
import { startLiveShop } from "./live-shop.ts";
import { createPerson } from "./person.ts";
import type { Shop, ShopOptions } from "./shop.ts";

/** A card that Adyen approves, and the only security code that Adyen accepts for the card. */
export const approvedCard = { number: "4111111111111111", cvc: "737" };

/** Types the card with the security code that the fake accepts, and pays. */
export async function pay(browser: Browser, { number, cvc } = approvedCard): Promise<void> {
  const stored = await browser.type(number, { cvc });
  assert.equal(stored.status, 201, stored.text);
  const confirmed = await browser.confirm(stored.body.payment_method_id);
  assert.equal(confirmed.status, 200, confirmed.text);
}

/** A payment in the ledger of the fake. */
export type AdyenPayment = {
  readonly reference: string;
  readonly state: string;
  readonly amount: { readonly value: number; readonly currency: string };
  readonly capturedValue: number;
  readonly releasedValue: number;
  readonly refundedValue: number;
};

/** The fake of Adyen, with its control API. */
export type Adyen = FakeControl<AdyenPayment> & {
  /**
   * Sends the notifications that no server has received (`pending`), which Adyen would repeat after two minutes, or
   * those that the fault `lost_notification` has suppressed (`lost`). Returns their number.
   */
  repeatNotifications(which: "pending" | "lost"): Promise<number>;
  close(): Promise<void>;
};

export async function startAdyen(): Promise<Adyen> {
  const { url, close } = await startAdyenFake({
    accounts: [{ merchantAccount: "FieldwareECOM", apiKey, hmacKey }],
  });
  const fake = controlFake<AdyenPayment>(url, "Adyen");
  return {
    ...fake,
    async repeatNotifications(which) {
      const list = `GET notifications?state=${which}`;
      const { notifications } = await fake.control<{ notifications: { id: string }[] }>(list);
      for (const { id } of notifications) await fake.control(`POST notifications/${id}/send`);
      return notifications.length;
    },
    close,
  };
}

/** Starts the fake, and a shop whose live mode can connect to it. See `startLiveShop`. */
export async function startAdyenShop(
  options?: ShopOptions,
  close?: (shop: Shop) => Promise<void>,
): Promise<{ adyen: Adyen; shop: Shop }> {
  const adyen = await startAdyen();
  return { adyen, shop: await startLiveShop({ adyen }, options, close) };
}

export type LiveMerchant = { readonly account: AccountId; readonly key: SecretKey };

export type ConnectedMerchant = LiveMerchant & {
  readonly connection: string;
  readonly assignment: string;
  /** Ends the merchant's assignment and retires its connection. */
  retire(): Promise<void>;
};

export type ConnectOptions = {
  /** The origin to which Adyen sends the notifications. Defaults to that of the shop. */
  readonly origin?: string;
  /** The merchant to assign. Defaults to a new one. */
  readonly merchant?: LiveMerchant;
  readonly merchantAccount?: string;
  /** The priority of the assignment. */
  readonly priority?: number;
};

/** Connects the service to Adyen as an operator does, and assigns a merchant to the connection. */
export async function connectAdyen(
  shop: Shop,
  adyen: Adyen,
  {
    origin = shop.url,
    merchant,
    merchantAccount = "FieldwareECOM",
    priority = 1,
  }: ConnectOptions = {},
): Promise<ConnectedMerchant> {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  const { id, webhook_url } = (
    await connections.create({
      ...sandboxAdyen,
      settings: { merchant_account: merchantAccount },
    })
  ).body;
  await connections.change("PUT", id, "secrets", { api_key: apiKey, hmac_key: hmacKey });
  await adyen.control(`PUT accounts/${merchantAccount}`, { apiKey, hmacKey });
  const tested = await connections.change("POST", id, "test");
  assert.equal(tested.body.state, "tested", tested.text);
  const webhookUrl = `${origin}${new URL(webhook_url).pathname}`;
  await adyen.control(`PUT accounts/${merchantAccount}`, { webhookUrl });
  await connections.notify(id);
  const active = await connections.change("POST", id, "activate");
  assert.equal(active.status, 200, active.text);
  const { account } = merchant ?? (await shop.createMerchant({ status: "approved" }));
  const assigned = await operator.send("POST", "/operator/v1/assignments", {
    account,
    connection: id,
    merchant_account: merchantAccount,
    mcc: "5941",
    priority,
    reason: "Agreed with the merchant.",
  });
  assert.equal(assigned.status, 201, assigned.text);
  const retire = async () => {
    const ended = await operator.send("POST", `/operator/v1/assignments/${assigned.body.id}/end`, {
      version: assigned.body.version,
      reason: "The merchant leaves.",
    });
    assert.equal(ended.status, 200, ended.text);
    await connections.change("POST", id, "drain");
    assert.equal((await connections.change("POST", id, "retire")).body.state, "retired");
  };
  const key = merchant?.key ?? (await shop.issueKey(account, true)).secret;
  return { account, key, connection: id, assignment: assigned.body.id, retire };
}
