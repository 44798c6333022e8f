import assert from "node:assert/strict";
import { test } from "node:test";
import type { WalletKeyPurpose } from "@florin/contract/operator-wallets.ts";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { newId } from "../../../core/ids.ts";
import type { WalletConfiguration } from "./wallet-configuration.ts";
import type { WalletKey } from "./wallet-key.ts";
import { neededPurposes, type WalletService, whyNotOffered } from "./why-not-offered.ts";

const now = new Date("2026-11-28T12:00:00Z");
const account = newId("acct", now);

function configured(
  wallet: DigitalWallet,
  changes: Partial<WalletConfiguration> = {},
): WalletConfiguration {
  return {
    account,
    wallet,
    integration: "direct",
    status: "enabled",
    merchantId: "merchant.com.example",
    displayName: "Kiosk Nord",
    domains: wallet === "apple_pay" ? ["shop.example"] : [],
    domainAssociation: null,
    updatedAt: now,
    version: 1,
    ...changes,
  };
}

/** Returns a current key. An Apple Pay key has a certificate that expires at the given time. */
function key(wallet: DigitalWallet, purpose: WalletKeyPurpose, expiresAt: Date): WalletKey {
  return {
    id: newId("wk", now),
    account,
    wallet,
    purpose,
    publicKey: Buffer.from("key"),
    certificate: wallet === "apple_pay" ? { der: Buffer.from("certificate"), expiresAt } : null,
    status: "current",
    promotedAt: now,
    version: 2,
  };
}

const later = new Date(now.getTime() + 1);
const production: WalletService = { isSandbox: false, hasWalletsUrl: true };
const googleKeys = [key("google_pay", "payment_processing", later)];
const appleKeys = [
  key("apple_pay", "payment_processing", later),
  key("apple_pay", "merchant_identity", later),
];

test("each wallet needs the keys that its integration uses", () => {
  const purposes = (wallet: DigitalWallet, integration: "direct" | "gateway") =>
    neededPurposes({ wallet, integration });
  assert.deepEqual(purposes("google_pay", "direct"), ["payment_processing"]);
  assert.deepEqual(purposes("google_pay", "gateway"), []);
  assert.deepEqual(purposes("apple_pay", "direct"), ["payment_processing", "merchant_identity"]);
  assert.deepEqual(purposes("apple_pay", "gateway"), ["merchant_identity"]);
});

test("there is no reason against a complete wallet", () => {
  assert.deepEqual(whyNotOffered(configured("google_pay"), googleKeys, production, now), []);
  assert.deepEqual(whyNotOffered(configured("apple_pay"), appleKeys, production, now), []);
  const gateway = configured("google_pay", { integration: "gateway" });
  assert.deepEqual(whyNotOffered(gateway, [], production, now), []);
});

test("Google Pay needs a merchant ID outside the test environment, and the second origin", () => {
  const unnamed = configured("google_pay", { merchantId: null });
  const reasons = (service: Partial<WalletService>) =>
    whyNotOffered(unnamed, googleKeys, { ...production, ...service }, now);
  assert.deepEqual(reasons({}), ["no_merchant_id"]);
  assert.deepEqual(reasons({ isSandbox: true }), []);
  assert.deepEqual(reasons({ isSandbox: true, hasWalletsUrl: false }), ["no_wallets_url"]);
});

test("all reasons are returned, and keys of the other wallet or with an expired certificate do not count", () => {
  const incomplete = configured("apple_pay", { status: "disabled", domains: [] });
  const keys = [...googleKeys, key("apple_pay", "merchant_identity", now)];
  assert.deepEqual(whyNotOffered(incomplete, keys, { ...production, hasWalletsUrl: false }, now), [
    "disabled",
    "no_domain",
    "no_payment_processing_key",
    "merchant_identity_certificate_expired",
  ]);
});
