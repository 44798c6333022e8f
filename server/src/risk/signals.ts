import type { RiskLevel } from "@florin/contract/charge.ts";
import type { CardTraits } from "../acquiring/processor.ts";
import type { MaskedCard } from "../cards/payment-methods/masked-card.ts";
import type { CheckoutSessionId, CustomerId } from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";

/** The data about a payment that is known before the charge. */
export type Payment = {
  readonly scope: Scope;
  readonly price: Money;
  readonly card: MaskedCard;
  readonly traits: CardTraits;
  readonly customerId: CustomerId | null;
  readonly offSession: boolean;
  /** The session of the card form, or null for a server-side charge. */
  readonly sessionId: CheckoutSessionId | null;
  /** The payer's email address, IP address and billing country. Each is null if it is unknown. */
  readonly email: string | null;
  readonly ip: string | null;
  readonly billingCountry: string | null;
  /** A hash of the browser's headers and network. */
  readonly device: string | null;
};

/** The inputs of a decision, under the names that rules use. An empty string and a ratio of 0 mean unknown. */
export type Signals = {
  readonly amount: number;
  readonly currency: string;
  /** The amount relative to the mean of the merchant's latest payments in the currency. */
  readonly amount_ratio: number;
  readonly card_brand: string;
  readonly card_funding: string;
  readonly card_country: string;
  readonly card_fingerprint: string;
  readonly card_attempts_1h: number;
  readonly card_attempts_24h: number;
  readonly card_declines_24h: number;
  readonly card_mismatches_24h: number;
  readonly customer_id: string;
  readonly email: string;
  readonly email_domain: string;
  readonly email_attempts_1h: number;
  readonly email_declines_24h: number;
  readonly ip: string;
  readonly ip_country: string;
  readonly ip_attempts_1h: number;
  readonly ip_declines_24h: number;
  readonly device: string;
  readonly device_attempts_1h: number;
  readonly device_declines_24h: number;
  readonly billing_country: string;
  readonly off_session: boolean;
  readonly authentication_required: boolean;
  readonly risk_score: number;
  readonly risk_level: RiskLevel;
};

/**
 * The signals that are not fields of the charge. They are stored with the charge, so that rules can be tested on past
 * charges.
 */
const storedSignals = [
  "amount_ratio",
  "card_attempts_1h",
  "card_attempts_24h",
  "card_declines_24h",
  "card_mismatches_24h",
  "email",
  "email_attempts_1h",
  "email_declines_24h",
  "ip",
  "ip_country",
  "ip_attempts_1h",
  "ip_declines_24h",
  "device",
  "device_attempts_1h",
  "device_declines_24h",
  "billing_country",
  "authentication_required",
] as const satisfies readonly (keyof Signals)[];

/** The stored fields of a decision besides outcome, score and reasons. Empty values are omitted. */
export type DecisionDetails = Partial<Pick<Signals, (typeof storedSignals)[number]>> & {
  readonly matched_rules?: readonly string[];
};

/** Returns the details to store, or null if there are none. */
export function decisionDetails(
  signals: Signals,
  matchedRules: readonly string[],
): DecisionDetails | null {
  const details: Record<string, unknown> = {};
  let any = matchedRules.length > 0;
  if (any) details.matched_rules = matchedRules;
  for (const name of storedSignals) {
    const value = signals[name];
    if (!value) continue;
    details[name] = value;
    any = true;
  }
  return any ? details : null;
}

export function emailDomain(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}
