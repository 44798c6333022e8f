import { plainEmail } from "../../core/email-address.ts";
import { riskLevel } from "../../risk/risk-level.ts";
import { emailDomain, type Signals } from "../../risk/signals.ts";
import type { Charge } from "./charge.ts";

/** Returns the signals of a past charge's decision. Signals that were not stored have the defaults in `unknown`. */
export function pastSignals({ price, card, customerId, offSession, risk }: Charge): Signals {
  const { matched_rules: _, ...stored } = risk.details ?? {};
  // Earlier releases stored email addresses as the customer wrote them.
  const email = plainEmail(stored.email ?? "");
  return {
    ...unknown,
    ...stored,
    amount: price.amountMinor,
    currency: price.currency,
    card_brand: card.brand,
    card_funding: card.funding,
    card_country: card.country ?? "",
    card_fingerprint: card.fingerprint ?? "",
    customer_id: customerId ?? "",
    email,
    email_domain: email && emailDomain(email),
    off_session: offSession,
    risk_score: risk.score,
    risk_level: riskLevel(risk.score),
  };
}

const unknown = {
  amount_ratio: 0,
  card_attempts_1h: 0,
  card_attempts_24h: 0,
  card_declines_24h: 0,
  card_mismatches_24h: 0,
  email_attempts_1h: 0,
  email_declines_24h: 0,
  ip: "",
  ip_country: "",
  ip_attempts_1h: 0,
  ip_declines_24h: 0,
  device: "",
  device_attempts_1h: 0,
  device_declines_24h: 0,
  billing_country: "",
  authentication_required: false,
} as const;
