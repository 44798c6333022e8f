import type {
  AppleSession,
  EndedFrameSession,
  FrameSession,
  OfferedTestWallet,
  OfferedWallet,
} from "@florin/contract/frame.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import type { CardFields } from "../card/card-fields.ts";
import { digitsOf } from "../card/digits.ts";
import { parseExpiry } from "../card/expiry.ts";

/** The error of a response. Branch on `type` and `code`, never on the message. */
export type ErrorBody = {
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param?: string;
  readonly decline_code?: string;
};

/**
 * The result of a request. `unreachable` means that there was no definite response: a lost connection, a timeout, 429
 * or 5xx. The request may have been executed, and may be retried with the same Idempotency-Key.
 */
export type ApiResult<Body> =
  | { readonly kind: "ok"; readonly body: Body }
  | { readonly kind: "rejected"; readonly status: number; readonly error: ErrorBody }
  | { readonly kind: "unreachable" };

/** A session as the service returns it. The service omits the details of a session that has ended. */
export type ServedSession = FrameSession | EndedFrameSession;

export type FrameApi = {
  readSession(): Promise<ApiResult<ServedSession>>;
  /** The only request that carries a card number. */
  storeCard(
    fields: CardFields,
    network: CardNetwork | null,
  ): Promise<ApiResult<{ payment_method_id: string }>>;
  /** Requests a token for a card from test mode's wallet. */
  requestWalletToken(
    wallet: OfferedTestWallet,
    cardId: string,
    price: Pick<FrameSession, "amount" | "currency">,
  ): Promise<ApiResult<{ token: string }>>;
  /** Stores a wallet's token as a payment method. A repeated request returns the same payment method. */
  storeWalletToken(
    token: string,
    wallet: OfferedWallet,
  ): Promise<ApiResult<{ payment_method_id: string }>>;
  /** Requests Apple's merchant session, without which the Apple Pay sheet does not open. */
  startAppleSession(validationUrl: string, domain: string): Promise<ApiResult<AppleSession>>;
  /** `cvc` is the security code of a saved card. Null if the card was just stored together with its code. */
  confirm(
    paymentMethodId: string,
    idempotencyKey: string,
    save: boolean,
    cvc: string | null,
  ): Promise<ApiResult<ServedSession>>;
  /**
   * Cancels the challenge that the customer closed. The attempt is then canceled, unless the issuer has already
   * finished.
   */
  cancelChallenge(): Promise<ApiResult<ServedSession>>;
};

/**
 * The deadline of a request, longer than the maximum duration of a request in the service (28 s), so that the service
 * times out first.
 */
const deadlineMs = 35_000;

/** Calls the service on Florin's origin with the session's client secret from the URL fragment. */
export function createFrameApi(sessionId: string, clientSecret: string): FrameApi {
  const session = `/embed/api/checkout_sessions/${encodeURIComponent(sessionId)}`;
  const authorization = { Authorization: `Bearer ${clientSecret}` };

  return {
    readSession: () => send(session, { headers: authorization }),
    storeCard: (fields, network) =>
      send("/vault/cards", post(authorization, cardRequest(sessionId, fields, network))),
    requestWalletToken: (wallet, card, price) => {
      const { recipient_id, public_key } = wallet;
      const { amount, currency } = price;
      const fields = { recipient_id, public_key, card, amount: String(amount), currency };
      const body = new URLSearchParams(fields);
      return send(wallet.token_path, { method: "POST", body });
    },
    storeWalletToken: (token, wallet) => {
      const assignment = "assignment" in wallet ? wallet.assignment : null;
      const body = {
        checkout_session_id: sessionId,
        wallet: wallet.type,
        ...(assignment !== null && { assignment }),
        token,
      };
      return send("/vault/wallet_tokens", post(authorization, body));
    },
    startAppleSession: (validation_url, domain) =>
      send(`${session}/apple_pay_session`, post(authorization, { validation_url, domain })),
    confirm: (paymentMethodId, idempotencyKey, save, cvc) =>
      send(
        `${session}/confirm`,
        post(
          { ...authorization, "Idempotency-Key": idempotencyKey },
          {
            payment_method_id: paymentMethodId,
            ...(save && { save_payment_method: true }),
            ...(cvc !== null && { cvc }),
          },
        ),
      ),
    cancelChallenge: () => send(`${session}/cancel_challenge`, post(authorization, {})),
  };
}

function cardRequest(sessionId: string, fields: CardFields, network: CardNetwork | null): object {
  const expiry = parseExpiry(fields.expiry);
  return {
    checkout_session_id: sessionId,
    number: digitsOf(fields.number),
    exp_month: expiry?.month,
    exp_year: expiry?.year,
    cvc: digitsOf(fields.cvc),
    name: fields.name.trim(),
    ...(fields.postal_code.trim() && { postal_code: fields.postal_code.trim() }),
    ...(network && { network }),
  };
}

function post(headers: Record<string, string>, body: object): RequestInit {
  return {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
}

async function send<Body>(path: string, request: RequestInit): Promise<ApiResult<Body>> {
  try {
    const response = await fetch(path, {
      ...request,
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(deadlineMs),
    });
    if (response.status === 429 || response.status >= 500) return { kind: "unreachable" };
    const body = await response.json();
    if (response.ok) return { kind: "ok", body };
    return { kind: "rejected", status: response.status, error: body.error };
  } catch {
    // The response was lost or truncated, so the request may have been executed.
    return { kind: "unreachable" };
  }
}
