import assert from "node:assert/strict";
import { type AccountId, type ChargeId, newId } from "../../src/core/ids.ts";
import { type Adyen, approvedCard } from "../adyen.ts";
import { apiKey, createConnectionClient, hmacKey, sandboxAdyen } from "../connection.ts";
import { createPerson } from "../person.ts";
import type { Shop } from "../shop.ts";
import type { AcquirerUnderTest } from "./acquirer-under-test.ts";
import type { Fault, Message } from "./faults.ts";

const endpoints: Readonly<Record<Message, string>> = {
  authorize: "payments",
  capture: "captures",
  void: "cancels",
  refund: "refunds",
  "cancel by reference": "technical_cancels",
  reverse: "reversals",
};

/**
 * The time by which Adyen delays a response, including one that is then lost. In cases with a restart, the service is
 * killed during the delay.
 */
const delayMs = 300;

type InjectedFault = {
  readonly fault: string;
  readonly processed?: false;
  readonly delayMs?: number;
};

/**
 * The fake's own faults for each fault of the cases. Omits the faults that Adyen cannot have, and the late failure,
 * whose name depends on the request.
 */
const adyenFaults: Partial<Record<Fault, readonly InjectedFault[]>> = {
  none: [],
  "response cut": [{ fault: "cut_before_response", delayMs }],
  "response cut in its body": [{ fault: "cut_in_body", delayMs }],
  "request lost": [{ fault: "cut_before_response", processed: false, delayMs }],
  "502 after the execution": [{ fault: "html_502", delayMs }],
  "502 without execution": [{ fault: "html_502", processed: false, delayMs }],
  "slow response": [{ fault: "slow", delayMs }],
  "response after the timeout": [{ fault: "slow", delayMs: 2_500 }],
  "429": [{ fault: "too_many_requests", delayMs }],
  "transient error": [{ fault: "transient_error", delayMs }],
  "duplicate notification": [{ fault: "duplicate_notification" }],
  "early notification": [{ fault: "early_notification" }],
  "lost notification": [{ fault: "lost_notification" }],
  "lost response and notification": [
    { fault: "cut_before_response", delayMs },
    { fault: "lost_notification" },
  ],
  "forged notification": [{ fault: "forged_notification" }],
};

/**
 * The number of merchants that share a connection. The faults of their requests are too few to open its circuit
 * breaker.
 */
const merchantsPerConnection = 4;

type Notification = { readonly id: string; readonly forged: boolean };

type Payment = {
  readonly pspReference: string;
  readonly reference: ChargeId;
  readonly state: string;
  readonly amount: { readonly value: number; readonly currency: string };
  readonly capturedValue: number;
  readonly releasedValue: number;
  readonly refundedValue: number;
};

/**
 * Returns the fake of Adyen as an acquirer under test. Each merchant has its own merchant account, so that a fault
 * affects no other case.
 */
export function adyenUnderTest(shop: Shop, adyen: Adyen, origin: string): AcquirerUnderTest {
  const merchantAccounts = new Map<AccountId, string>();
  const merchantAccountOf = (account: AccountId) => merchantAccounts.get(account) as string;

  async function createConnection(create: ReturnType<typeof createConnectionClient>) {
    const { id, webhook_url } = (await create.create(sandboxAdyen)).body;
    await create.change("PUT", id, "secrets", { api_key: apiKey, hmac_key: hmacKey });
    await create.change("POST", id, "test");
    await create.notify(id);
    const active = await create.change("POST", id, "activate");
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
    ]),
    card: approvedCard,
    async createMerchants(count) {
      const operator = await createPerson(shop, { operator: true, secondFactor: true });
      const connections = createConnectionClient(shop, operator);
      const merchants = [];
      for (let created = 0; created < count; created += merchantsPerConnection) {
        const connection = await createConnection(connections);
        const size = Math.min(merchantsPerConnection, count - created);
        const names = Array.from({ length: size }, () => newId("acct", shop.clock.now()));
        merchants.push(
          ...(await Promise.all(
            names.map(async (name) => {
              const { account } = await shop.createMerchant({ status: "approved" });
              const merchantAccount = name.replace("acct_", "Conformance");
              merchantAccounts.set(account, merchantAccount);
              const settings = { apiKey, hmacKey, webhookUrl: connection.webhookUrl };
              await adyen.control(`PUT accounts/${merchantAccount}`, settings);
              const assigned = await operator.send("POST", "/operator/v1/assignments", {
                account,
                connection: connection.id,
                merchant_account: merchantAccount,
                mcc: "5941",
                reason: "Agreed with the merchant.",
              });
              assert.equal(assigned.status, 201, assigned.text);
              return { account, key: (await shop.issueKey(account, true)).secret };
            }),
          )),
        );
      }
      return merchants;
    },
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
    async hasReceived({ account }, message) {
      const query = `merchantAccount=${merchantAccountOf(account)}&endpoint=${endpoints[message]}`;
      const { requests } = await adyen.control<{ requests: object[] }>(`GET requests?${query}`);
      return requests.length > 0;
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
      const payments = (await adyen.payments(query)) as unknown as readonly Payment[];
      return payments
        .filter(({ state }) => state === "authorised")
        .map((payment) => ({
          charge: payment.reference,
          currency: payment.amount.currency.toLowerCase(),
          heldMinor: payment.amount.value - payment.capturedValue - payment.releasedValue,
          capturedMinor: payment.capturedValue,
          refundedMinor: payment.refundedValue,
        }));
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
