import type { Money } from "../../primitives/money.ts";
import type { CardCredentials } from "../../vault/card-number.ts";
import type { ARes, BrowserFacts } from "./message.ts";

/**
 * The port to 3-D Secure. A 3DS server speaks with the networks' directory servers for us; test mode's and any other
 * speak through the same port, so that the path of an authentication is one. What the bank decides in a challenge
 * is pushed, as an RReq, to the address that stood in the request (`charges/authentication.routes.ts`).
 *
 * No method throws for anything the outside world does.
 */
export type ThreeDSServer = {
  /** Whether the card's bank takes part, by the directory's card ranges. */
  lookUp(card: CardCredentials): Promise<LookUp>;
  /** AReq out, ARes back, within `answerWithinMs`. */
  authenticate(request: AuthenticateRequest): Promise<AuthenticateAnswer>;
};

export type LookUp =
  | { readonly kind: "enrolled"; readonly version: string; readonly methodUrl: string | null }
  /** No range holds the card, or the directory could not be asked. */
  | { readonly kind: "unavailable" };

export type AuthenticateRequest = {
  /** One for the whole transaction, from look-up to result. */
  readonly transactionId: string;
  readonly version: string;
  readonly card: CardCredentials;
  readonly price: Money;
  readonly purchasedAt: Date;
  readonly merchant: { readonly id: string; readonly name: string; readonly country: string };
  /** Y: the method page answered; N: it did not in time; U: there was none. */
  readonly methodCompletion: "Y" | "N" | "U";
  /** True when the merchant takes no payment without it. */
  readonly demanded: boolean;
  readonly browser: BrowserFacts;
  /** Where the bank's page brings the cardholder's browser back to. */
  readonly notificationUrl: string;
  /** Where the directory server pushes the result of a challenge; nobody else may learn it. */
  readonly resultsUrl: string;
};

export type AuthenticateAnswer =
  | { readonly kind: "answered"; readonly ares: ARes }
  | { readonly kind: "unavailable"; readonly why: "timeout" | "refused" | "invalid_response" };
