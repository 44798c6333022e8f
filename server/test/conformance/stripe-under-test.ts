import { type ChargeId, newId } from "../../src/core/ids.ts";
import { repeatEvents } from "../fake-control.ts";
import type { Shop } from "../shop.ts";
import {
  activateStripe,
  approvedCard,
  type Stripe,
  type StripePayment,
  webhookSecret,
} from "../stripe.ts";
import { createToken } from "../wallet.ts";
import type { AcquirerUnderTest, PaymentAtAcquirer } from "./acquirer-under-test.ts";
import { connectMerchants } from "./connect-merchants.ts";
import { type Fault, isReversal, type Message } from "./faults.ts";
import { connectionFaults, type InjectedFault, responseDelayMs } from "./injected-fault.ts";

const endpoints: Readonly<Record<Message, string>> = {
  verify: "setup",
  authorize: "confirm",
  "pay with a token": "confirm",
  capture: "capture",
  void: "cancel",
  refund: "refunds",
  "cancel by reference": "cancel",
  reverse: "refunds",
};

/** The fake's own faults for each fault of the cases. Omits the faults that Stripe cannot have. */
const stripeFaults: Partial<Record<Fault, readonly InjectedFault[]>> = {
  ...connectionFaults,
  "transient error": [{ fault: "conflict", delayMs: responseDelayMs }],
  "duplicate notification": [{ fault: "duplicate_event" }],
  "early notification": [{ fault: "early_event" }],
  "lost notification": [{ fault: "lost_event" }],
  "lost response and notification": [
    { fault: "cut_before_response", delayMs: responseDelayMs },
    { fault: "lost_event" },
  ],
  "forged notification": [{ fault: "forged_event" }],
  "late refund failure": [{ fault: "late_refund_failure", delayMs: 1_000 }],
  "arrival after an inquiry": [{ fault: "arrives_late" }],
};

/**
 * Returns the fake of Stripe as an acquirer under test. Each merchant has its own account, which belongs to the
 * platform account of the connection, so that a fault affects no other case.
 */
export function stripeUnderTest(shop: Shop, stripe: Stripe, origin: string): AcquirerUnderTest {
  return {
    name: "stripe",
    capabilities: new Set([
      "signed notifications",
      "temporary rejections",
      "late refund failures",
      "inquiries",
      "blocked references",
      "gateway tokens",
    ]),
    card: approvedCard,
    async createToken({ account }) {
      const wallet = "google_pay";
      return { wallet, token: await createToken(stripe, wallet, { account }) };
    },
    createMerchants: (count) =>
      connectMerchants(shop, count, {
        async createConnection() {
          const platform = newId("acct", shop.clock.now());
          const key = `sk_test_${platform}`;
          const connection = await activateStripe(shop, stripe, { origin, account: platform, key });
          return { ...connection, platform };
        },
        async createAccount(merchant, { platform, webhookUrl }) {
          await stripe.control(`PUT accounts/${merchant}`, { platform, webhookSecret, webhookUrl });
          return merchant;
        },
      }),
    async inject({ account }, message, fault) {
      for (const { fault: kind, ...more } of stripeFaults[fault] ?? []) {
        const injected = { ...more, account };
        await stripe.fault(endpoints[message], kind, injected);
      }
    },
    async loseAuthorization({ account }, message) {
      const isLate = message === "reverse";
      const lost = isLate ? "arrives_late" : "cut_before_response";
      const injected = { processed: false, account };
      await stripe.fault("confirm", lost, injected);
    },
    async readRequests() {
      const { requests } = await stripe.control<{
        requests: { account: string; endpoint: string }[];
      }>("GET requests");
      const received = new Set(requests.map(({ account, endpoint }) => `${account} ${endpoint}`));
      return ({ account }, message) =>
        isReversal(message) ? null : received.has(`${account} ${endpoints[message]}`);
    },
    async advanceClock(advanceMs) {
      await stripe.control("POST clock", { advanceMs });
    },
    repeatNotifications: (which) => repeatEvents(stripe, which),
    async paymentsOf({ account }) {
      return moneyAtStripe(await stripe.payments(`account=${account}`));
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

/** Returns the held, captured and refunded amounts. Omits payments with neither a held nor a captured amount. */
export function moneyAtStripe(payments: readonly StripePayment[]): PaymentAtAcquirer[] {
  return payments
    .filter(({ heldAmount, capturedAmount }) => heldAmount > 0 || capturedAmount > 0)
    .map((payment) => ({
      charge: payment.reference as ChargeId,
      currency: payment.currency,
      heldMinor: payment.heldAmount,
      capturedMinor: payment.capturedAmount,
      refundedMinor: payment.refundedAmount,
    }));
}
