import assert from "node:assert/strict";
import type { AcquirerOrigins } from "../../src/acquiring/connector.ts";
import { connectAdyen, type LiveMerchant, startAdyen } from "../adyen.ts";
import { activateCheckoutCom, channel, startCheckoutCom } from "../checkout-com.ts";
import type { PaymentAtAcquirer } from "../conformance/acquirer-under-test.ts";
import { moneyAtAdyen } from "../conformance/adyen-under-test.ts";
import { moneyAtCheckoutCom } from "../conformance/checkout-com-under-test.ts";
import { moneyAtStripe } from "../conformance/stripe-under-test.ts";
import { repeatEvents } from "../fake-control.ts";
import { createPerson } from "../person.ts";
import type { Shop } from "../shop.ts";
import { activateStripe, startStripe, stripeAccount } from "../stripe.ts";

/** The fakes of all live acquirers, each with its own ledger. They run in the test's process, which is not killed. */
export type FakeAcquirers = {
  readonly origins: AcquirerOrigins;
  /** Creates and activates a connection to each acquirer. Notifications are sent to `origin`. */
  connect(shop: Shop, origin: string): Promise<readonly ConnectedAcquirer[]>;
  close(): Promise<void>;
};

/** An acquirer with an active connection. */
export type ConnectedAcquirer = {
  readonly connection: string;
  readonly merchantAccount: string;
  /** Adds a fault to the next requests of this kind. All fakes have these faults under the same names. */
  fault(request: "authorize" | "refund", fault: string, more?: object): Promise<unknown>;
  clearFaults(): Promise<unknown>;
  /**
   * Sends the notifications that no server has received (`pending`, the default), or those that the fault
   * `lost_notification` has suppressed (`lost`). Returns their number.
   */
  repeatNotifications(which?: "pending" | "lost"): Promise<number>;
  payments(): Promise<readonly PaymentAtAcquirer[]>;
};

export async function startFakeAcquirers(): Promise<FakeAcquirers> {
  const adyen = await startAdyen();
  const stripe = await startStripe();
  const checkoutCom = await startCheckoutCom();
  const fakes = [adyen, stripe, checkoutCom];
  return {
    origins: { adyen: adyen.url, stripe: stripe.url, checkout_com: checkoutCom.url },
    async connect(shop, origin) {
      const merchantAccount = "FieldwareECOM";
      const atAdyen = await connectAdyen(shop, adyen, { origin, merchantAccount });
      const atStripe = await activateStripe(shop, stripe, { origin });
      const atCheckoutCom = await activateCheckoutCom(shop, checkoutCom, { origin });
      return [
        {
          connection: atAdyen.connection,
          merchantAccount,
          fault: (request, fault, more) =>
            adyen.fault(request === "refund" ? "refunds" : "payments", fault, more),
          clearFaults: () => adyen.control("DELETE faults"),
          repeatNotifications: (which = "pending") => adyen.repeatNotifications(which),
          payments: async () => moneyAtAdyen(await adyen.payments()),
        },
        {
          connection: atStripe.id,
          merchantAccount: stripeAccount,
          fault: (request, fault, more) =>
            stripe.fault(request === "refund" ? "refunds" : "confirm", fault, more),
          clearFaults: () => stripe.control("DELETE faults"),
          repeatNotifications: (which = "pending") => repeatEvents(stripe, which),
          payments: async () => moneyAtStripe(await stripe.payments()),
        },
        {
          connection: atCheckoutCom.id,
          merchantAccount: channel,
          fault: (request, fault, more) =>
            checkoutCom.fault(request === "refund" ? "refunds" : "payments", fault, more),
          clearFaults: () => checkoutCom.control("DELETE faults"),
          repeatNotifications: (which = "pending") => repeatEvents(checkoutCom, which),
          payments: async () => moneyAtCheckoutCom(await checkoutCom.payments()),
        },
      ];
    },
    async close() {
      await Promise.all(fakes.map((fake) => fake.close()));
    },
  };
}

/** Creates an approved merchant with a live key, and assigns it to the acquirers in this order. */
export async function createLiveMerchant(
  shop: Shop,
  acquirers: readonly ConnectedAcquirer[],
): Promise<LiveMerchant> {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const { account } = await shop.createMerchant({ status: "approved" });
  for (const [index, { connection, merchantAccount }] of acquirers.entries()) {
    const assigned = await operator.send("POST", "/operator/v1/assignments", {
      account,
      connection,
      merchant_account: merchantAccount,
      mcc: "5941",
      priority: index + 1,
      reason: "Agreed with the merchant.",
    });
    assert.equal(assigned.status, 201, assigned.text);
  }
  return { account, key: (await shop.issueKey(account, true)).secret };
}
