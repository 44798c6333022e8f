import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { approveMerchant } from "@florin/example-live-sandbox/approve-merchant.ts";
import { type AdyenAccount, connectAdyen } from "@florin/example-live-sandbox/connect-adyen.ts";
import {
  newOperatorCredentials,
  sendRequest,
  sendWithKey,
  signIn,
} from "@florin/example-live-sandbox/http-client.ts";
import type { AccountId } from "@florin/server/core/ids.ts";
import type { Server } from "./processes/server-messages.ts";

/** The merchant's account at the fake of Adyen. */
export const adyenAccount: AdyenAccount = {
  merchantAccount: "BenchECOM",
  apiKey: randomBytes(24).toString("base64url"),
  hmacKey: randomBytes(32).toString("hex"),
};

/** A merchant in one mode with a saved card that can be charged off-session. */
export type SavedCardMerchant = {
  readonly account: AccountId;
  readonly livemode: boolean;
  readonly secretKey: string;
  readonly paymentMethodId: string;
};

/** A merchant with a saved card in each mode. */
export type BothModes = { readonly live: SavedCardMerchant; readonly test: SavedCardMerchant };

/** Approves the demo merchant, connects it to the fake, and saves a card in both modes with a first payment. */
export async function setUpLiveMode(
  { url, merchant, people }: Server,
  adyenUrl: string,
): Promise<BothModes> {
  assert(people, "the server has no live mode");
  const operator = await signIn(url, "/auth/v1/operator_set_up", newOperatorCredentials(), {
    token: people.operatorToken,
    name: "Operator",
  });
  const owner = await signIn(url, "/auth/v1/sign_in", people.owner);
  const { account } = merchant;
  await approveMerchant(owner, operator, account);
  await connectAdyen(operator, adyenUrl, adyenAccount, account);
  const { secret } = await owner
    .inAccount(account, "live")
    .send<{ secret: string }>("POST", "/api/v1/api_keys", { name: "Bench" });
  return {
    live: {
      account,
      livemode: true,
      secretKey: secret,
      paymentMethodId: await saveCard(url, secret, "4111111111111111"),
    },
    test: {
      account,
      livemode: false,
      secretKey: merchant.secretKey,
      paymentMethodId: await saveCard(url, merchant.secretKey, "4242424242424242"),
    },
  };
}

/** Pays a session and consents to saving the card, as a customer does in the card form. Returns the card's ID. */
async function saveCard(url: string, secretKey: string, number: string): Promise<string> {
  const merchant = <Body>(method: string, path: string, body?: object) =>
    sendWithKey<Body>(url, secretKey, method, `/api/v1${path}`, body);
  const { id: customer_id } = await merchant<{ id: string }>("POST", "/customers", {
    email: "ada@example.com",
  });
  const { embed_url } = await merchant<{ embed_url: string }>("POST", "/checkout_sessions", {
    amount: 1999,
    currency: "usd",
    customer_id,
    save_payment_method: true,
  });
  const [, session = "", clientSecret = ""] = /\/embed\/(cs_\w+)#(\S+)/.exec(embed_url) ?? [];
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${clientSecret}`, "idempotency-key": path };
    return (await sendRequest(url + path, { method: "POST", body, headers })).json();
  };
  const card = { number, exp_month: 3, exp_year: 2030, cvc: "737" };
  const { payment_method_id } = (await post("/vault/cards", {
    checkout_session_id: session,
    ...card,
  })) as { payment_method_id: string };
  await post(`/embed/api/checkout_sessions/${session}/confirm`, {
    payment_method_id,
    save_payment_method: true,
  });
  const saved = await merchant<{ data: { id: string }[] }>(
    "GET",
    `/payment_methods?customer_id=${customer_id}`,
  );
  const [method] = saved.data;
  assert(method, "the card was not saved");
  return method.id;
}
