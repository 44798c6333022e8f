import assert from "node:assert/strict";
import { type AccountId, type ChargeId, newId } from "../../src/core/ids.ts";
import { activateCheckoutCom, approvedCard, type CheckoutCom } from "../checkout-com.ts";
import { createPerson } from "../person.ts";
import type { Shop } from "../shop.ts";
import type { AcquirerUnderTest } from "./acquirer-under-test.ts";
import type { Fault, Message } from "./faults.ts";

const endpoints: Readonly<Record<Message, string>> = {
  authorize: "payments",
  capture: "captures",
  void: "voids",
  refund: "refunds",
  "cancel by reference": "voids",
  reverse: "refunds",
};

/**
 * The time by which Checkout.com delays a response, including one that is then lost. In cases with a restart, the
 * service is killed during the delay.
 */
const delayMs = 300;

type InjectedFault = {
  readonly fault: string;
  readonly processed?: false;
  readonly delayMs?: number;
};

/** The fake's own faults for each fault of the cases. Omits the faults that Checkout.com cannot have. */
const checkoutComFaults: Partial<Record<Fault, readonly InjectedFault[]>> = {
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
  "pending, then declined": [{ fault: "declined_later", delayMs: 1_000 }],
  "arrival after an inquiry": [{ fault: "arrives_late" }],
};

/**
 * The number of merchants that share a connection. The faults of their requests are too few to open its circuit
 * breaker.
 */
const merchantsPerConnection = 4;

/**
 * Returns the fake of Checkout.com as an acquirer under test. Each merchant has its own processing channel, so that a
 * fault affects no other case.
 */
export function checkoutComUnderTest(
  shop: Shop,
  checkoutCom: CheckoutCom,
  origin: string,
): AcquirerUnderTest {
  const channels = new Map<AccountId, string>();
  const channelOf = (account: AccountId) => channels.get(account) as string;

  return {
    name: "checkout_com",
    capabilities: new Set([
      "signed notifications",
      "temporary rejections",
      "later declines",
      "inquiries",
    ]),
    card: approvedCard,
    async createMerchants(count) {
      const operator = await createPerson(shop, { operator: true, secondFactor: true });
      const merchants = [];
      for (let created = 0; created < count; created += merchantsPerConnection) {
        const name = newId("acct", shop.clock.now()).slice("acct_".length);
        const account = `cli_${name}`;
        const key = `sk_sbox_${name}`;
        const own = `pc_${name}`;
        const connection = await activateCheckoutCom(shop, checkoutCom, {
          origin,
          account,
          own,
          key,
        });
        const size = Math.min(merchantsPerConnection, count - created);
        merchants.push(
          ...(await Promise.all(
            Array.from({ length: size }, async () => {
              const { account: merchant } = await shop.createMerchant({ status: "approved" });
              const channel = merchant.replace("acct_", "pc_");
              channels.set(merchant, channel);
              await checkoutCom.control(`PUT channels/${channel}`, { account });
              const assigned = await operator.send("POST", "/operator/v1/assignments", {
                account: merchant,
                connection: connection.id,
                merchant_account: channel,
                mcc: "5941",
                reason: "Agreed with the merchant.",
              });
              assert.equal(assigned.status, 201, assigned.text);
              return { account: merchant, key: (await shop.issueKey(merchant, true)).secret };
            }),
          )),
        );
      }
      return merchants;
    },
    async inject({ account }, message, fault) {
      for (const { fault: kind, ...more } of checkoutComFaults[fault] ?? []) {
        const injected = { ...more, channel: channelOf(account) };
        await checkoutCom.fault(endpoints[message], kind, injected);
      }
    },
    // The payment arrives after the inquiry that has not found it, so that the service reverses it.
    async loseAuthorization({ account }) {
      await checkoutCom.fault("payments", "arrives_late", { channel: channelOf(account) });
    },
    async hasReceived({ account }, message) {
      // The service reverses a payment when it is due, which can be before the fault is added.
      if (message === "cancel by reference" || message === "reverse") return null;
      const query = `channel=${channelOf(account)}&endpoint=${endpoints[message]}`;
      const { requests } = await checkoutCom.control<{ requests: object[] }>(
        `GET requests?${query}`,
      );
      return requests.length > 0;
    },
    async advanceClock(advanceMs) {
      await checkoutCom.control("POST clock", { advanceMs });
    },
    async repeatNotifications(which) {
      const list = `GET events?state=${which}`;
      const { events } = await checkoutCom.control<{ events: { id: string }[] }>(list);
      await Promise.all(events.map(({ id }) => checkoutCom.control(`POST events/${id}/send`)));
      return events.length;
    },
    async paymentsOf({ account }) {
      const payments = await checkoutCom.payments(`channel=${channelOf(account)}`);
      return payments
        .filter(({ heldAmount, capturedAmount }) => heldAmount > 0 || capturedAmount > 0)
        .map((payment) => ({
          charge: payment.reference as ChargeId,
          currency: payment.currency.toLowerCase(),
          heldMinor: payment.heldAmount,
          capturedMinor: payment.capturedAmount,
          refundedMinor: payment.refundedAmount,
        }));
    },
    async executedTwice() {
      const approved = await checkoutCom.actions("state=approved");
      const references = approved.map(({ type, reference }) => `${type} ${reference}`);
      return references.filter((reference, index) => references.indexOf(reference) !== index);
    },
  };
}
