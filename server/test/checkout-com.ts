import assert from "node:assert/strict";
import { startCheckoutComFake } from "@florin/checkout-com-fake/checkout-com-fake.ts";
import type { LiveMerchant } from "./adyen.ts";
import { createConnectionClient } from "./connection.ts";
import { controlFake, type FakeControl } from "./fake-control.ts";
import { startLiveShop } from "./live-shop.ts";
import { createPerson } from "./person.ts";
import type { Shop, ShopOptions } from "./shop.ts";

export const secretKey = "sk_sbox_fieldwarefieldwarefieldwarefi";
export const publicKey = "pk_sbox_fieldwarefieldwarefieldwarf";
export const webhookSecret = "FieldwareSignatureKeyOfCheckoutCom";
export const client = "cli_fieldwarefieldwarefieldwar";
export const channel = "pc_fieldwarefieldwarefieldware";

/** A card that the fake approves, and that is not one of the simulator's. */
export const approvedCard = { number: "4111111111111111", cvc: "737" };

export const sandboxCheckoutCom = {
  processor: "checkout_com",
  name: "Checkout.com",
  environment: "sandbox",
  settings: { merchant_account: channel, live_prefix: "fieldwar" },
  public_key: publicKey,
};

/** A payment in the ledger of the fake. */
export type CheckoutComPayment = {
  readonly id: string;
  readonly channel: string;
  readonly reference: string;
  readonly status: string;
  readonly currency: string;
  readonly amount: number;
  readonly approved: boolean;
  readonly heldAmount: number;
  readonly capturedAmount: number;
  readonly refundedAmount: number;
  readonly paymentType: string;
  readonly merchantInitiated: boolean;
  readonly stored: boolean;
  readonly previousPaymentId: string | null;
  readonly schemeId: string | null;
  readonly eci: string | null;
  readonly billingDescriptor: { readonly name: string; readonly city: string } | null;
  readonly authentication: { readonly kind: string; readonly eci: string | null } | null;
  readonly redirect: { readonly session: string } | null;
};

/** An action of a payment in the ledger of the fake. */
export type CheckoutComAction = {
  readonly id: string;
  readonly payment: string;
  readonly type: string;
  readonly reference: string | null;
  readonly state: string;
};

/** The fake of Checkout.com, with its control API. */
export type CheckoutCom = FakeControl<CheckoutComPayment> & {
  actions(query?: string): Promise<readonly CheckoutComAction[]>;
  close(): Promise<void>;
};

export async function startCheckoutCom(): Promise<CheckoutCom> {
  const { url, close } = await startCheckoutComFake({
    accounts: [{ id: client, secretKey, publicKey, webhookSecret, channels: [channel] }],
  });
  const fake = controlFake<CheckoutComPayment>(url, "Checkout.com");
  return {
    ...fake,
    async actions(query = "") {
      const command = `GET actions?${query}`;
      return (await fake.control<{ actions: CheckoutComAction[] }>(command)).actions;
    },
    close,
  };
}

/** Starts the fake, and a shop whose live mode can connect to it. See `startLiveShop`. */
export async function startCheckoutComShop(
  options?: ShopOptions,
  close?: (shop: Shop) => Promise<void>,
): Promise<{ checkoutCom: CheckoutCom; shop: Shop }> {
  const checkoutCom = await startCheckoutCom();
  return { checkoutCom, shop: await startLiveShop({ checkout_com: checkoutCom }, options, close) };
}

export type CheckoutComConnection = { readonly id: string; readonly webhookUrl: string };

/** Creates and activates a connection, as an operator does. */
export async function activateCheckoutCom(
  shop: Shop,
  checkoutCom: CheckoutCom,
  {
    origin = shop.url,
    account = client,
    own = channel,
    key = secretKey,
    ownPublicKey = publicKey,
  } = {},
): Promise<CheckoutComConnection> {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  const settings = { ...sandboxCheckoutCom.settings, merchant_account: own };
  const created = await connections.create({
    ...sandboxCheckoutCom,
    settings,
    public_key: ownPublicKey,
  });
  assert.equal(created.status, 201, created.text);
  const { id, webhook_url } = created.body;
  const webhookUrl = `${origin}${new URL(webhook_url).pathname}`;
  const changes = {
    secretKey: key,
    publicKey: ownPublicKey,
    webhookSecret,
    webhookUrl,
    channels: [own],
  };
  await checkoutCom.control(`PUT accounts/${account}`, changes);
  const secrets = { api_key: key, hmac_key: webhookSecret };
  const stored = await connections.change("PUT", id, "secrets", secrets);
  assert.equal(stored.status, 200, stored.text);
  const tested = await connections.change("POST", id, "test");
  assert.equal(tested.body.state, "tested", tested.text);
  await connections.notify(id);
  const active = await connections.change("POST", id, "activate");
  assert.equal(active.status, 200, active.text);
  return { id, webhookUrl };
}

/** Connects the service to Checkout.com, and assigns a new merchant to the connection. */
export async function connectCheckoutCom(
  shop: Shop,
  checkoutCom: CheckoutCom,
): Promise<LiveMerchant> {
  const { id } = await activateCheckoutCom(shop, checkoutCom);
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const { account } = await shop.createMerchant({ status: "approved" });
  const assigned = await operator.send("POST", "/operator/v1/assignments", {
    account,
    connection: id,
    merchant_account: channel,
    mcc: "5941",
    descriptor: "FIELDWARE, LONDON",
    priority: 1,
    reason: "Agreed with the merchant.",
  });
  assert.equal(assigned.status, 201, assigned.text);
  return { account, key: (await shop.issueKey(account, true)).secret };
}
