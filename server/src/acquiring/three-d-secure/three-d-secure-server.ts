import type { Money } from "../../core/money.ts";
import type { CardCredentials } from "../../vault/card-number.ts";
import type { ARes, BrowserInformation } from "./message.ts";

/**
 * The interface to 3-D Secure. A 3DS server exchanges messages with the networks' directory servers. Test and live
 * mode use the same interface, so that an authentication takes one path. The result of a challenge arrives as an RReq
 * at the URL given in the request (`payments/three-d-secure/authentication.routes.ts`).
 *
 * No method throws for a failure outside this process.
 */
export type ThreeDSServer = {
  /** Returns whether the card's issuer takes part, by the directory server's card ranges. */
  lookUp(card: CardCredentials): Promise<LookUp>;
  /** Sends the AReq and returns the ARes within `responseTimeoutMs`. */
  authenticate(request: AuthenticateRequest): Promise<AuthenticateResponse>;
};

export type LookUp =
  | { readonly kind: "enrolled"; readonly version: string; readonly methodUrl: string | null }
  /** No range contains the card, or the directory server did not respond. */
  | { readonly kind: "unavailable" };

export type AuthenticateRequest = {
  /** One id for the whole transaction, from lookup to result. */
  readonly transactionId: string;
  readonly version: string;
  readonly card: CardCredentials;
  readonly price: Money;
  readonly purchasedAt: Date;
  readonly merchant: { readonly id: string; readonly name: string; readonly country: string };
  /** Y: the method page completed. N: it did not in time. U: there was none. */
  readonly methodCompletion: "Y" | "N" | "U";
  /** True when the merchant requires authentication. */
  readonly demanded: boolean;
  readonly browser: BrowserInformation;
  /** The URL to which the ACS sends the cardholder's browser back. */
  readonly notificationUrl: string;
  /** The URL to which the directory server sends the result of a challenge. It is a secret. */
  readonly resultsUrl: string;
};

export type AuthenticateResponse =
  | { readonly kind: "answered"; readonly ares: ARes }
  | { readonly kind: "unavailable"; readonly why: "timeout" | "rejected" | "invalid_response" };
