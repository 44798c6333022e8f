import assert from "node:assert/strict";
import { startStripeFake } from "@florin/stripe-fake/stripe-fake.ts";
import type { LiveMerchant } from "./adyen.ts";
import { createConnectionClient } from "./connection.ts";
import { controlFake, type FakeControl } from "./fake-control.ts";
import { startLiveShop } from "./live-shop.ts";
import { createPerson } from "./person.ts";
import type { Shop, ShopOptions } from "./shop.ts";

export const secretKey = "sk_test_51FieldwareStripeSecretKey";
export const publicKey = "pk_test_51FieldwareStripePublishableKey";
export const webhookSecret = "whsec_FieldwareStripeSigningSecret";
export const stripeAccount = "acct_1Fieldware";

/** A card that the fake approves, and that is not one of the simulator's. */
export const approvedCard = { number: "4111111111111111", cvc: "737" };

export const sandboxStripe = {
  processor: "stripe",
  name: "Stripe",
  environment: "sandbox",
  settings: { merchant_account: stripeAccount },
  public_key: publicKey,
};

/** A payment in the ledger of the fake. */
export type StripePayment = {
  readonly id: string;
  readonly account: string;
  readonly reference: string;
  readonly status: string;
  readonly currency: string;
  readonly amount: number;
  readonly heldAmount: number;
  readonly capturedAmount: number;
  readonly refundedAmount: number;
  readonly charge: string | null;
  readonly setupFutureUsage: string | null;
  readonly offSession: boolean;
  /** The network transaction ID of the earlier payment that the request names. */
  readonly networkTransactionId: string | null;
  readonly ownNetworkTransactionId: string | null;
  readonly statementDescriptorSuffix: string | null;
  readonly authentication: string | null;
  /** The wallet whose token was charged. */
  readonly wallet: string | null;
};

/** The fake of Stripe, with its control API. */
export type Stripe = FakeControl<StripePayment> & { close(): Promise<void> };

export async function startStripe(): Promise<Stripe> {
  const { url, close } = await startStripeFake({
    accounts: [{ id: stripeAccount, secretKey, webhookSecret }],
  });
  return { ...controlFake<StripePayment>(url, "Stripe"), close };
}

/** Starts the fake, and a shop whose live mode can connect to it. See `startLiveShop`. */
export async function startStripeShop(
  options?: ShopOptions,
  close?: (shop: Shop) => Promise<void>,
): Promise<{ stripe: Stripe; shop: Shop }> {
  const stripe = await startStripe();
  return { stripe, shop: await startLiveShop({ stripe }, options, close) };
}

export type StripeConnection = { readonly id: string; readonly webhookUrl: string };

/** Creates and activates a connection to the account, as an operator does. */
export async function activateStripe(
  shop: Shop,
  stripe: Stripe,
  { origin = shop.url, account = stripeAccount, key = secretKey } = {},
): Promise<StripeConnection> {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const connections = createConnectionClient(shop, operator);
  const settings = { merchant_account: account };
  const created = await connections.create({ ...sandboxStripe, settings });
  assert.equal(created.status, 201, created.text);
  const { id, webhook_url } = created.body;
  const webhookUrl = `${origin}${new URL(webhook_url).pathname}`;
  await stripe.control(`PUT accounts/${account}`, { secretKey: key, webhookSecret, webhookUrl });
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

/** Connects the service to Stripe, and assigns a merchant to the connection: a new one, unless `merchant` is given. */
export async function connectStripe(
  shop: Shop,
  stripe: Stripe,
  { merchant, priority = 1 }: { merchant?: LiveMerchant; priority?: number } = {},
): Promise<LiveMerchant> {
  const { id } = await activateStripe(shop, stripe);
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const { account } = merchant ?? (await shop.createMerchant({ status: "approved" }));
  const assigned = await operator.send("POST", "/operator/v1/assignments", {
    account,
    connection: id,
    merchant_account: stripeAccount,
    mcc: "5941",
    priority,
    reason: "Agreed with the merchant.",
  });
  assert.equal(assigned.status, 201, assigned.text);
  return merchant ?? { account, key: (await shop.issueKey(account, true)).secret };
}
