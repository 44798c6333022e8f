import type { Money } from "../../core/money.ts";
import type { CardCredentials } from "../../vault/card-number.ts";
import type { ARes, BrowserInformation } from "./message.ts";

/**
 * The interface to a 3DS server, which exchanges messages with the networks' directory servers. Test and live mode use
 * the same interface, so that an authentication takes the same path in both. The result of a challenge arrives in an
 * RReq at the URL in the request (`payments/three-d-secure/authentication.routes.ts`).
 *
 * No method throws for a failure outside this process.
 */
export type ThreeDSServer = {
  /** Looks up the card in the directory server's card ranges. Returns whether its issuer supports 3-D Secure. */
  lookUp(card: CardCredentials): Promise<LookUp>;
  /** Sends the AReq and returns the ARes. Returns `unavailable` if no valid ARes arrives within `responseTimeoutMs`. */
  authenticate(request: AuthenticateRequest): Promise<AuthenticateResponse>;
};

export type LookUp =
  | { readonly kind: "enrolled"; readonly version: string; readonly methodUrl: string | null }
  /** No card range contains the card, or the directory server did not respond. */
  | { readonly kind: "unavailable" };

export type AuthenticateRequest = {
  /** The ID of the transaction. It stays the same from the lookup to the result. */
  readonly transactionId: string;
  readonly version: string;
  readonly card: CardCredentials;
  /** `add_card` if nothing is paid, because the cardholder saves the card for later payments. */
  readonly purpose: "payment" | "add_card";
  /** The amount is zero if nothing is paid. */
  readonly price: Money;
  readonly purchasedAt: Date;
  readonly merchant: { readonly id: string; readonly name: string; readonly country: string };
  /** Y: the method page completed. N: it did not complete in time. U: there was none. */
  readonly methodCompletion: "Y" | "N" | "U";
  /** True if the merchant requires 3-D Secure. */
  readonly demanded: boolean;
  readonly browser: BrowserInformation;
  /** The URL to which the ACS returns the cardholder's browser. */
  readonly notificationUrl: string;
  /** The URL to which the directory server sends the result of a challenge. It contains a secret. */
  readonly resultsUrl: string;
};

export type AuthenticateResponse =
  | { readonly kind: "responded"; readonly ares: ARes }
  | { readonly kind: "unavailable"; readonly why: "timeout" | "rejected" | "invalid_response" };
