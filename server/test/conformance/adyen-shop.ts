import assert from "node:assert/strict";
import {
  type Adyen,
  type AdyenPayment,
  approvedCard,
  connectAdyen,
  startAdyenShop,
} from "../adyen.ts";
import { type Browser, createCheckout } from "../checkout.ts";
import type { Reply } from "../client.ts";
import type { Shop, ShopOptions } from "../shop.ts";
import { until } from "../until.ts";

/** A merchant whose charges go to the fake of Adyen, for tests that control each step. */
export type AdyenShop = {
  readonly shop: Shop;
  readonly adyen: Adyen;
  checkout(params?: object): Promise<Browser>;
  /** Types the card with the security code that the fake accepts, and pays. Returns the session's charge. */
  pay(browser: Browser): Promise<Reply["body"]>;
  payUntil(status: string, params?: object): Promise<Reply["body"]>;
  chargeOf(id: string): Promise<Reply["body"]>;
  /** Waits until the charge has this status. */
  chargeWith(id: string, status: string): Promise<Reply["body"]>;
  get(path: string): Promise<Reply["body"]>;
  post(path: string, body: object): Promise<Reply>;
  /** Waits until the refund has this status. */
  refundWith(id: string, status: string): Promise<Reply["body"]>;
  paymentOf(charge: string): Promise<AdyenPayment>;
  /** Advances the clocks of the service and of Adyen. */
  advanceClocks(milliseconds: number): Promise<void>;
};

export async function startConnectedAdyenShop(
  options: Pick<ShopOptions, "database"> = {},
): Promise<AdyenShop> {
  const { adyen, shop } = await startAdyenShop(options);
  const { key } = await connectAdyen(shop, adyen);

  const get = async (path: string) => (await shop.get(path, { as: key })).body;
  const chargeOf = (id: string) => get(`/charges/${id}`);
  const chargeWith = (id: string, status: string) =>
    until(
      () => chargeOf(id),
      (charge) => charge.status === status,
    );
  const checkout = (params: object = {}) => createCheckout(shop, params, key);

  async function pay(browser: Browser) {
    const stored = await browser.type(approvedCard.number, { cvc: approvedCard.cvc });
    assert.equal(stored.status, 201, stored.text);
    const confirmed = await browser.confirm(stored.body.payment_method_id);
    assert.equal(confirmed.status, 200, confirmed.text);
    const { data } = await get("/charges?limit=20");
    const charge = data.find((one: Reply["body"]) => one.checkout_session_id === browser.session);
    assert(charge);
    return charge;
  }

  return {
    shop,
    adyen,
    checkout,
    pay,
    payUntil: async (status, params) => chargeWith((await pay(await checkout(params))).id, status),
    chargeOf,
    chargeWith,
    get,
    post: (path, body) => shop.post(path, body, { as: key }),
    refundWith: (id, status) =>
      until(
        () => get(`/refunds/${id}`),
        (refund) => refund.status === status,
      ),
    paymentOf: adyen.paymentOf,
    async advanceClocks(milliseconds) {
      shop.clock.advance(milliseconds);
      await adyen.control("POST clock", { advanceMs: milliseconds });
    },
  };
}
