import assert from "node:assert/strict";
import type { Reply } from "./client.ts";
import type { Shop } from "./shop.ts";

/**
 * A customer's browser in which one checkout session is open. It authenticates with the client secret in the embed URL.
 */
export type Browser = {
  readonly session: string;
  /** The client secret, from the fragment of the embed URL. */
  readonly secret: string;
  readSession(): Promise<Reply>;
  /** Enters a card into the form. Returns the vault's response. */
  type(number: string, rest?: object): Promise<Reply>;
  /** Confirms the payment. `save` is the customer's consent to save the card. */
  confirm(paymentMethod: string, attempt?: string, save?: boolean): Promise<Reply>;
  /** Pays with a saved card, whose security code the customer enters again. */
  confirmSaved(paymentMethod: string, cvc?: string, attempt?: string): Promise<Reply>;
  cancelChallenge(): Promise<Reply>;
  /** Enters a card and pays with it. */
  pay(number: string, attempt?: string): Promise<Reply>;
};

export async function createCheckout(
  shop: Shop,
  params: object = {},
  as = shop.merchant.key,
): Promise<Browser> {
  const body = { amount: 1999, currency: "usd", ...params };
  const created = await shop.post("/checkout_sessions", body, { as });
  assert.equal(created.status, 201, created.text);
  return createBrowser(
    shop,
    created.body.session.id,
    new URL(created.body.embed_url).hash.slice(1),
  );
}

/** Creates a session that only saves a card. */
export function createSetup(
  shop: Shop,
  params: object = {},
  as = shop.merchant.key,
): Promise<Browser> {
  return createCheckout(shop, { amount: undefined, mode: "setup", ...params }, as);
}

let attempts = 0;

export function createBrowser(shop: Shop, session: string, secret: string): Browser {
  const headers = { authorization: `Bearer ${secret}` };
  const path = `/embed/api/checkout_sessions/${session}`;
  const browser: Browser = {
    session,
    secret,
    readSession: () => shop.send("GET", path, { headers }),
    type: (number, rest = {}) =>
      shop.send("POST", "/vault/cards", {
        headers,
        body: { checkout_session_id: session, ...typed(number), ...rest },
      }),
    confirm: (paymentMethod, attempt = `attempt ${++attempts}`, save) =>
      shop.send("POST", `${path}/confirm`, {
        headers: { ...headers, "idempotency-key": attempt },
        body: {
          payment_method_id: paymentMethod,
          ...(save !== undefined && { save_payment_method: save }),
        },
      }),
    confirmSaved: (paymentMethod, cvc = "123", attempt = `attempt ${++attempts}`) =>
      shop.send("POST", `${path}/confirm`, {
        headers: { ...headers, "idempotency-key": attempt },
        body: { payment_method_id: paymentMethod, cvc },
      }),
    cancelChallenge: () => shop.send("POST", `${path}/cancel_challenge`, { headers, body: {} }),
    async pay(number, attempt) {
      const stored = await browser.type(number);
      assert.equal(stored.status, 201, stored.text);
      return browser.confirm(stored.body.payment_method_id, attempt);
    },
  };
  return browser;
}

/** Returns the fields of the card form: the number, a future expiry, and a security code of the brand's length. */
export function typed(number: string) {
  const cvc = /^3[47]/.test(number) ? "1234" : "123";
  return { number, exp_month: 12, exp_year: new Date().getUTCFullYear() + 3, cvc };
}
