import { type AccountId, type ChargeId, newId } from "../../src/core/ids.ts";
import {
  activateCheckoutCom,
  approvedCard,
  type CheckoutCom,
  type CheckoutComPayment,
} from "../checkout-com.ts";
import { repeatEvents } from "../fake-control.ts";
import type { Shop } from "../shop.ts";
import { createToken } from "../wallet.ts";
import type { AcquirerUnderTest, PaymentAtAcquirer } from "./acquirer-under-test.ts";
import { alternatingWallets } from "./alternating-wallets.ts";
import { connectMerchants } from "./connect-merchants.ts";
import { type Fault, isReversal, type Message } from "./faults.ts";
import { connectionFaults, type InjectedFault, responseDelayMs } from "./injected-fault.ts";

const endpoints: Readonly<Record<Message, string>> = {
  verify: "payments",
  authorize: "payments",
  "pay with a token": "payments",
  capture: "captures",
  void: "voids",
  refund: "refunds",
  "cancel by reference": "voids",
  reverse: "refunds",
};

/** The fake's own faults for each fault of the cases. Omits the faults that Checkout.com cannot have. */
const checkoutComFaults: Partial<Record<Fault, readonly InjectedFault[]>> = {
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
  "pending, then declined": [{ fault: "declined_later", delayMs: 1_000 }],
  "arrival after an inquiry": [{ fault: "arrives_late" }],
};

/**
 * Returns the fake of Checkout.com as an acquirer under test. Each merchant has its own processing channel, so that a
 * fault affects no other case.
 */
export function checkoutComUnderTest(
  shop: Shop,
  checkoutCom: CheckoutCom,
  origin: string,
): AcquirerUnderTest {
  const nextWallet = alternatingWallets();
  const channelOf = (account: AccountId) => account.replace("acct_", "pc_");

  return {
    name: "checkout_com",
    capabilities: new Set([
      "signed notifications",
      "temporary rejections",
      "later declines",
      "inquiries",
      "gateway tokens",
    ]),
    card: approvedCard,
    async createToken() {
      const wallet = nextWallet();
      return { wallet, token: await createToken(checkoutCom, wallet) };
    },
    createMerchants: (count) =>
      connectMerchants(shop, count, {
        async createConnection() {
          const name = newId("acct", shop.clock.now()).slice("acct_".length);
          const account = `cli_${name}`;
          // A public key contains only letters and the digits 2 to 7.
          const letters = name.replaceAll(
            /[0189]/g,
            (digit) => "abcd"["0189".indexOf(digit)] ?? "",
          );
          const ownPublicKey = `pk_sbox_${letters.slice(0, 26)}a`;
          const options = {
            ...{ origin, account, own: `pc_${name}`, key: `sk_sbox_${name}` },
            ownPublicKey,
          };
          return { ...(await activateCheckoutCom(shop, checkoutCom, options)), account };
        },
        async createAccount(merchant, { account }) {
          const channel = channelOf(merchant);
          await checkoutCom.control(`PUT channels/${channel}`, { account });
          return channel;
        },
      }),
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
    async readRequests() {
      const { requests } = await checkoutCom.control<{
        requests: { channel: string; endpoint: string }[];
      }>("GET requests");
      const received = new Set(requests.map(({ channel, endpoint }) => `${channel} ${endpoint}`));
      return ({ account }, message) =>
        isReversal(message) ? null : received.has(`${channelOf(account)} ${endpoints[message]}`);
    },
    async advanceClock(advanceMs) {
      await checkoutCom.control("POST clock", { advanceMs });
    },
    repeatNotifications: (which) => repeatEvents(checkoutCom, which),
    async paymentsOf({ account }) {
      return moneyAtCheckoutCom(await checkoutCom.payments(`channel=${channelOf(account)}`));
    },
    async executedTwice() {
      const approved = await checkoutCom.actions("state=approved");
      const references = approved.map(({ type, reference }) => `${type} ${reference}`);
      return references.filter((reference, index) => references.indexOf(reference) !== index);
    },
  };
}

/** Returns the held, captured and refunded amounts. Omits payments with neither a held nor a captured amount. */
export function moneyAtCheckoutCom(payments: readonly CheckoutComPayment[]): PaymentAtAcquirer[] {
  return payments
    .filter(({ heldAmount, capturedAmount }) => heldAmount > 0 || capturedAmount > 0)
    .map((payment) => ({
      charge: payment.reference as ChargeId,
      currency: payment.currency.toLowerCase(),
      heldMinor: payment.heldAmount,
      capturedMinor: payment.capturedAmount,
      refundedMinor: payment.refundedAmount,
    }));
}
