import { isOneOf } from "@florin/shared-fake/json-object.ts";
import { invalid } from "./api-error.ts";
import { schemeOf } from "./card.ts";
import { timestamp } from "./events.ts";
import type { Platform } from "./platform.ts";
import type { Token } from "./records.ts";
import type { Context, Reply } from "./request-context.ts";
import { objectOf, textOf } from "./request-fields.ts";

/** A token is valid for 15 minutes (checkout.com/docs/payments/add-payment-methods/google-pay/api-only). */
const tokenLifeMs = 15 * 60 * 1000;

const types = ["googlepay", "applepay"] as const;

/** Exchanges a wallet token: `POST /tokens` (nas-openapi.json, schema `TokenRequest`). */
export function createToken({ platform, account, body }: Context): Reply {
  const type = textOf(body, "type");
  if (type === null) throw invalid("type_required");
  if (!isOneOf(types, type)) throw invalid("token_type_invalid");
  const data = objectOf(body, "token_data");
  if (data === null) throw invalid("token_data_required");
  const wallet = type === "googlepay" ? "google_pay" : "apple_pay";
  const card = platform.walletTokens.use(wallet, data);
  if (card === "unreadable") throw invalid("token_data_invalid");
  if (card === "used") throw invalid("token_used");
  const token = platform.put<Token>(platform.tokens, {
    id: platform.newId("tok"),
    account: account.id,
    type,
    card,
    expiresAt: platform.clock.nowMs() + tokenLifeMs,
    used: false,
  });
  return {
    status: 201,
    body: {
      type,
      token: token.id,
      expires_on: timestamp(token.expiresAt),
      expiry_month: card.expMonth,
      expiry_year: card.expYear,
      scheme: schemeOf(card.number),
      last4: card.number.slice(-4),
      bin: card.number.slice(0, 6),
      ...(type === "googlepay" && { token_format: card.authMethod.toLowerCase() }),
    },
  };
}

/** Returns the token of a payment request, or null with the code of the problem. */
export function tokenOf(platform: Platform, account: string, id: string, codes: string[]) {
  const token = platform.tokens.get(id);
  if (token?.account !== account) codes.push("token_invalid");
  else if (token.used) codes.push("token_used");
  else if (token.expiresAt <= platform.clock.nowMs()) codes.push("token_expired");
  else return token;
  return null;
}
