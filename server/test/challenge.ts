import assert from "node:assert/strict";
import { type Cardholder, createCardholder } from "./cardholder.ts";
import { type Browser, createCheckout } from "./checkout.ts";
import type { Reply } from "./client.ts";
import { type Shop, until } from "./shop.ts";

type Body = Reply["body"];

/**
 * A checkout session with a card whose issuer requires a challenge, and a browser in which the cardholder has opened
 * the challenge document.
 */
export type OpenChallenge = {
  readonly browser: Browser;
  readonly cardholder: Cardholder;
  readonly chargeId: string;
  readCharge(): Promise<Body>;
  /** Waits until the charge is no longer processing, and returns it. */
  waitUntilFinal(): Promise<Body>;
};

export async function startChallenge(
  shop: Shop,
  number: string,
  params: object = {},
): Promise<OpenChallenge> {
  const browser = await createCheckout(shop, params);
  const { body } = await browser.pay(number);
  assert.equal(body.status, "requires_action");
  const chargeId: string = (await shop.get(`/checkout_sessions/${browser.session}`)).body.charge_id;
  const readCharge = async () => (await shop.get(`/charges/${chargeId}`)).body;
  const waitUntilFinal = () =>
    until(readCharge, ({ status }) => !/requires_action|processing/.test(status));
  const cardholder = createCardholder(shop, body.next_action.url);
  return { browser, cardholder, chargeId, readCharge, waitUntilFinal };
}

export function authenticationOf(charge: Body): Body {
  return charge.payment_method_details.card.three_d_secure;
}

/** Returns the path of the notification URL, to which the issuer returns the browser. */
export async function notificationPath(shop: Shop, acsTransID: string): Promise<string> {
  const [row] = await shop.app.database.read<{ url: string }>`
    select notification_url as url from simulator.challenges where acs_transaction_id = ${acsTransID}`;
  return new URL(row?.url ?? "").pathname;
}

/** Returns the path of the results URL, to which the directory server sends the RReq. */
export async function resultsPath(shop: Shop, acsTransID: string): Promise<string> {
  const [row] = await shop.app.database.read<{ url: string }>`
    select three_ds_server_url as url
      from simulator.directory_transactions
      join simulator.challenges using (ds_transaction_id)
     where acs_transaction_id = ${acsTransID}`;
  return new URL(row?.url ?? "").pathname;
}
