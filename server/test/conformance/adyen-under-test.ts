import assert from "node:assert/strict";
import { type AccountId, type ChargeId, newId } from "../../src/core/ids.ts";
import { type Adyen, type AdyenPayment, approvedCard } from "../adyen.ts";
import { apiKey, createConnectionClient, hmacKey, sandboxAdyen } from "../connection.ts";
import type { TestPerson } from "../person.ts";
import type { Shop } from "../shop.ts";
import { createToken } from "../wallet.ts";
import type { AcquirerUnderTest, PaymentAtAcquirer } from "./acquirer-under-test.ts";
import { alternatingWallets } from "./alternating-wallets.ts";
import { connectMerchants } from "./connect-merchants.ts";
import type { Fault, Message } from "./faults.ts";
import { connectionFaults, type InjectedFault, responseDelayMs } from "./injected-fault.ts";

const endpoints: Readonly<Record<Message, string>> = {
  verify: "payments",
  authorize: "payments",
  "pay with a token": "payments",
  capture: "captures",
  void: "cancels",
  refund: "refunds",
  "cancel by reference": "technical_cancels",
  reverse: "reversals",
};

/**
 * The fake's own faults for each fault of the cases. Omits the faults that Adyen cannot have, and the late failure,
 * whose name depends on the request.
 */
const adyenFaults: Partial<Record<Fault, readonly InjectedFault[]>> = {
  ...connectionFaults,
  "transient error": [{ fault: "transient_error", delayMs: responseDelayMs }],
  "duplicate notification": [{ fault: "duplicate_notification" }],
  "early notification": [{ fault: "early_notification" }],
  "lost notification": [{ fault: "lost_notification" }],
  "lost response and notification": [
    { fault: "cut_before_response", delayMs: responseDelayMs },
    { fault: "lost_notification" },
  ],
  "forged notification": [{ fault: "forged_notification" }],
};

type Notification = { readonly id: string; readonly forged: boolean };

/**
 * Returns the fake of Adyen as an acquirer under test. Each merchant has its own merchant account, so that a fault
 * affects no other case.
 */
export function adyenUnderTest(shop: Shop, adyen: Adyen, origin: string): AcquirerUnderTest {
  const merchantAccounts = new Map<AccountId, string>();
  const nextWallet = alternatingWallets();
  const merchantAccountOf = (account: AccountId) => merchantAccounts.get(account) as string;

  async function createConnection(operator: TestPerson) {
    const connections = createConnectionClient(shop, operator);
    const { id, webhook_url } = (await connections.create(sandboxAdyen)).body;
    await connections.change("PUT", id, "secrets", { api_key: apiKey, hmac_key: hmacKey });
    await connections.change("POST", id, "test");
    await connections.notify(id);
    const active = await connections.change("POST", id, "activate");
    assert.equal(active.status, 200, active.text);
    return { id, webhookUrl: `${origin}${new URL(webhook_url).pathname}` };
  }

  return {
    name: "adyen",
    capabilities: new Set([
      "signed notifications",
      "temporary rejections",
      "late capture failures",
      "late refund failures",
      "gateway tokens",
    ]),
    card: approvedCard,
    async createToken() {
      const wallet = nextWallet();
      return { wallet, token: await createToken(adyen, wallet) };
    },
    createMerchants: (count) =>
      connectMerchants(shop, count, {
        createConnection,
        async createAccount(merchant, { webhookUrl }) {
          const merchantAccount = newId("acct", shop.clock.now()).replace("acct_", "Conformance");
          merchantAccounts.set(merchant, merchantAccount);
          const settings = { apiKey, hmacKey, webhookUrl };
          await adyen.control(`PUT accounts/${merchantAccount}`, settings);
          return merchantAccount;
        },
      }),
    async inject({ account }, message, fault) {
      const late = `late_${message}_failure`;
      const isLate = fault === "late capture failure" || fault === "late refund failure";
      const injected = isLate ? [{ fault: late, delayMs: 1_000 }] : adyenFaults[fault];
      for (const { fault, ...more } of injected ?? []) {
        const merchantAccount = merchantAccountOf(account);
        await adyen.fault(endpoints[message], fault, { ...more, merchantAccount });
      }
    },
    async loseAuthorization({ account }) {
      const merchantAccount = merchantAccountOf(account);
      await adyen.fault("payments", "cut_before_response", { merchantAccount });
      await adyen.fault("payments", "lost_notification", { merchantAccount });
    },
    async readRequests() {
      const { requests } = await adyen.control<{
        requests: { merchantAccount: string; endpoint: string }[];
      }>("GET requests");
      const received = new Set(requests.map((one) => `${one.merchantAccount} ${one.endpoint}`));
      return ({ account }, message) =>
        received.has(`${merchantAccountOf(account)} ${endpoints[message]}`);
    },
    async advanceClock(advanceMs) {
      await adyen.control("POST clock", { advanceMs });
    },
    async repeatNotifications(which) {
      const list = `GET notifications?state=${which}`;
      const { notifications } = await adyen.control<{ notifications: Notification[] }>(list);
      // Does not repeat forged notifications, because the service rejects them each time.
      const genuine = notifications.filter(({ forged }) => !forged);
      await Promise.all(genuine.map(({ id }) => adyen.control(`POST notifications/${id}/send`)));
      return genuine.length;
    },
    async paymentsOf({ account }) {
      const query = `merchantAccount=${merchantAccountOf(account)}`;
      return moneyAtAdyen(await adyen.payments(query));
    },
    async executedTwice() {
      const { modifications } = await adyen.control<{
        modifications: { reference: string; kind: string; state: string; executedValue: number }[];
      }>("GET modifications");
      const executed = modifications.filter(({ executedValue }) => executedValue > 0);
      const references = [
        ...executed.map(({ kind, reference }) => `${kind} ${reference}`),
        ...(await adyen.payments()).map(({ reference }) => `payment ${reference}`),
      ];
      return references.filter((reference, index) => references.indexOf(reference) !== index);
    },
  };
}

/** Returns the money of the approved payments, without card verifications, whose amount is zero. */
export function moneyAtAdyen(payments: readonly AdyenPayment[]): PaymentAtAcquirer[] {
  return payments
    .filter(({ state, amount }) => state === "authorised" && amount.value > 0)
    .map((payment) => ({
      charge: payment.reference as ChargeId,
      currency: payment.amount.currency.toLowerCase(),
      heldMinor: payment.amount.value - payment.capturedValue - payment.releasedValue,
      capturedMinor: payment.capturedValue,
      refundedMinor: payment.refundedValue,
    }));
}
