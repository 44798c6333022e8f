import assert from "node:assert/strict";
import { type AccountId, type ChargeId, newId } from "../../src/core/ids.ts";
import { createPerson } from "../person.ts";
import type { Shop } from "../shop.ts";
import { activateStripe, approvedCard, type Stripe, webhookSecret } from "../stripe.ts";
import type { AcquirerUnderTest } from "./acquirer-under-test.ts";
import type { Fault, Message } from "./faults.ts";

const endpoints: Readonly<Record<Message, string>> = {
  authorize: "confirm",
  capture: "capture",
  void: "cancel",
  refund: "refunds",
  "cancel by reference": "cancel",
  reverse: "refunds",
};

/**
 * The time by which Stripe delays a response, including one that is then lost. In cases with a restart, the service is
 * killed during the delay.
 */
const delayMs = 300;

type InjectedFault = {
  readonly fault: string;
  readonly processed?: false;
  readonly delayMs?: number;
};

/** The fake's own faults for each fault of the cases. Omits the faults that Stripe cannot have. */
const stripeFaults: Partial<Record<Fault, readonly InjectedFault[]>> = {
  none: [],
  "response cut": [{ fault: "cut_before_response", delayMs }],
  "response cut in its body": [{ fault: "cut_in_body", delayMs }],
  "request lost": [{ fault: "cut_before_response", processed: false, delayMs }],
  "502 after the execution": [{ fault: "html_502", delayMs }],
  "502 without execution": [{ fault: "html_502", processed: false, delayMs }],
  "slow response": [{ fault: "slow", delayMs }],
  "response after the timeout": [{ fault: "slow", delayMs: 2_500 }],
  "429": [{ fault: "too_many_requests", delayMs }],
  "transient error": [{ fault: "conflict", delayMs }],
  "duplicate notification": [{ fault: "duplicate_event" }],
  "early notification": [{ fault: "early_event" }],
  "lost notification": [{ fault: "lost_event" }],
  "lost response and notification": [
    { fault: "cut_before_response", delayMs },
    { fault: "lost_event" },
  ],
  "forged notification": [{ fault: "forged_event" }],
  "late refund failure": [{ fault: "late_refund_failure", delayMs: 1_000 }],
  "arrival after an inquiry": [{ fault: "arrives_late" }],
};

/**
 * The number of merchants that share a connection. The faults of their requests are too few to open its circuit
 * breaker.
 */
const merchantsPerConnection = 4;

/**
 * Returns the fake of Stripe as an acquirer under test. Each merchant has its own account, which is connected to that
 * of the connection, so that a fault affects no other case.
 */
export function stripeUnderTest(shop: Shop, stripe: Stripe, origin: string): AcquirerUnderTest {
  const stripeAccounts = new Map<AccountId, string>();
  const stripeAccountOf = (account: AccountId) => stripeAccounts.get(account) as string;

  return {
    name: "stripe",
    capabilities: new Set([
      "signed notifications",
      "temporary rejections",
      "late refund failures",
      "inquiries",
      "blocked references",
    ]),
    card: approvedCard,
    async createMerchants(count) {
      const operator = await createPerson(shop, { operator: true, secondFactor: true });
      const merchants = [];
      for (let created = 0; created < count; created += merchantsPerConnection) {
        const platform = newId("acct", shop.clock.now());
        const key = `sk_test_${platform}`;
        const connection = await activateStripe(shop, stripe, { origin, account: platform, key });
        const size = Math.min(merchantsPerConnection, count - created);
        merchants.push(
          ...(await Promise.all(
            Array.from({ length: size }, async () => {
              const { account } = await shop.createMerchant({ status: "approved" });
              const { webhookUrl } = connection;
              stripeAccounts.set(account, account);
              const connected = { platform, webhookSecret, webhookUrl };
              await stripe.control(`PUT accounts/${account}`, connected);
              const assigned = await operator.send("POST", "/operator/v1/assignments", {
                account,
                connection: connection.id,
                merchant_account: account,
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
      for (const { fault: kind, ...more } of stripeFaults[fault] ?? []) {
        const injected = { ...more, account: stripeAccountOf(account) };
        await stripe.fault(endpoints[message], kind, injected);
      }
    },
    async loseAuthorization({ account }, message) {
      const isLate = message === "reverse";
      const lost = isLate ? "arrives_late" : "cut_before_response";
      const injected = { processed: false, account: stripeAccountOf(account) };
      await stripe.fault("confirm", lost, injected);
    },
    async hasReceived({ account }, message) {
      // The service reverses a payment when it is due, which can be before the fault is added.
      if (message === "cancel by reference" || message === "reverse") return null;
      const query = `account=${stripeAccountOf(account)}&endpoint=${endpoints[message]}`;
      const { requests } = await stripe.control<{ requests: object[] }>(`GET requests?${query}`);
      return requests.length > 0;
    },
    async advanceClock(advanceMs) {
      await stripe.control("POST clock", { advanceMs });
    },
    async repeatNotifications(which) {
      const list = `GET events?state=${which}`;
      const { events } = await stripe.control<{ events: { id: string }[] }>(list);
      await Promise.all(events.map(({ id }) => stripe.control(`POST events/${id}/send`)));
      return events.length;
    },
    async paymentsOf({ account }) {
      const payments = await stripe.payments(`account=${stripeAccountOf(account)}`);
      return payments
        .filter(({ heldAmount, capturedAmount }) => heldAmount > 0 || capturedAmount > 0)
        .map((payment) => ({
          charge: payment.reference as ChargeId,
          currency: payment.currency,
          heldMinor: payment.heldAmount,
          capturedMinor: payment.capturedAmount,
          refundedMinor: payment.refundedAmount,
        }));
    },
    async executedTwice() {
      const { refunds } = await stripe.control<{
        refunds: { status: string; metadata: { florin_operation?: string } }[];
      }>("GET refunds");
      const charged = (await stripe.payments()).filter(({ charge }) => charge !== null);
      const references = [
        ...refunds.map(({ metadata }) => `refund ${metadata.florin_operation}`),
        ...charged.map(({ reference }) => `payment ${reference}`),
      ].filter((reference) => reference !== "refund undefined");
      return references.filter((reference, index) => references.indexOf(reference) !== index);
    },
  };
}
