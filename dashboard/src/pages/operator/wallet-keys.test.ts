import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperatorWallet, WalletKey } from "@florin/contract/operator-wallets.ts";
import { certificateState, missingParts, neededPurposes } from "./wallet-keys.ts";

const now = 1_790_000_000;
const day = 24 * 60 * 60;

function key(purpose: WalletKey["purpose"], expiresInDays: number | null): WalletKey {
  return {
    id: "wk_1",
    purpose,
    status: "current",
    public_key: null,
    fingerprint: "ab",
    certificate:
      expiresInDays === null ? null : { fingerprint: "cd", expires_at: now + expiresInDays * day },
    created: now,
    promoted_at: now,
    expires_at: null,
    version: 1,
  };
}

function wallet(
  name: OperatorWallet["wallet"],
  configuration: Partial<NonNullable<OperatorWallet["configuration"]>>,
  keys: readonly WalletKey[],
): OperatorWallet {
  return {
    object: "wallet",
    account: "acct_1",
    wallet: name,
    configuration: {
      integration: "direct",
      status: "enabled",
      merchant_id: "merchant.example",
      display_name: "Kiosk Nord",
      domains: name === "apple_pay" ? ["shop.example"] : [],
      has_domain_association: false,
      version: 1,
      ...configuration,
    },
    keys: [...keys],
  };
}

const service = (environment: "live" | "sandbox", has_wallets_url = true) => ({
  environment,
  has_wallets_url,
});

test("a certificate is expiring for 30 days before it has expired", () => {
  const states = [null, 31, 29, 0].map((days) =>
    certificateState(key("merchant_identity", days), now),
  );
  assert.deepEqual(states, ["none", "valid", "expires_soon", "expired"]);
});

test("each wallet needs the keys that its integration uses", () => {
  const purposes = (name: OperatorWallet["wallet"], integration: "direct" | "gateway") =>
    neededPurposes(wallet(name, { integration }, []));
  assert.deepEqual(purposes("google_pay", "direct"), ["payment_processing"]);
  assert.deepEqual(purposes("google_pay", "gateway"), []);
  assert.deepEqual(purposes("apple_pay", "direct"), ["payment_processing", "merchant_identity"]);
  assert.deepEqual(purposes("apple_pay", "gateway"), ["merchant_identity"]);
});

test("the missing parts of a wallet are listed, and none for a complete one", () => {
  const keys = [key("payment_processing", 100), key("merchant_identity", 100)];
  assert.deepEqual(missingParts(wallet("apple_pay", {}, keys), service("live"), now), []);
  const google = (merchant_id: string | null, environment: "live" | "sandbox") =>
    missingParts(
      wallet("google_pay", { merchant_id }, [key("payment_processing", null)]),
      service(environment),
      now,
    );
  assert.deepEqual(google("BCR2DN4TXXXXXXXX", "live"), []);
  assert.deepEqual(google(null, "sandbox"), []);
  assert.deepEqual(google(null, "live"), ["Google's merchant ID is missing."]);
  const googleWithKey = wallet("google_pay", {}, [key("payment_processing", null)]);
  assert.deepEqual(missingParts(googleWithKey, service("live", false), now), [
    "The service has no FLORIN_WALLETS_URL.",
  ]);
  const incomplete = wallet("apple_pay", { status: "disabled", domains: [] }, [
    key("merchant_identity", -1),
  ]);
  assert.deepEqual(missingParts(incomplete, service("live"), now), [
    "The wallet is disabled.",
    "No domain is registered.",
    "No payment processing key is active.",
    "The merchant identity certificate has expired.",
  ]);
  assert.deepEqual(missingParts({ ...incomplete, configuration: null }, service("live"), now), [
    "The wallet is not configured.",
  ]);
});
