import { hash } from "node:crypto";
import type { CardChecks } from "../acquiring/outcome.ts";
import { ApiError } from "../core/api-error.ts";
import type { Clock } from "../core/clock.ts";
import { plainEmail } from "../core/email-address.ts";
import type { CheckoutSessionId } from "../core/ids.ts";
import { networkOf, plainAddress } from "../core/network.ts";
import type { Scope } from "../core/scope.ts";
import type { AmountHistory } from "./amount-history.ts";
import { type Assessment, assess, score } from "./assess.ts";
import { countryOfAddress, publicAddress } from "./country-of-address.ts";
import { riskLevel } from "./risk-level.ts";
import type { RuleSet, RuleSets } from "./rule-set.ts";
import { emailDomain, type Payment, type Signals } from "./signals.ts";
import type { Tally, Velocity } from "./velocity.ts";

/**
 * Evaluates payments from data in memory. Only a merchant's first charge after a start or a rule change waits for the
 * database.
 */
export type RiskEngine = {
  /** Returns the verdict on a payment. With `counting`, also counts the payment as an attempt. */
  assess(payment: Payment, counting?: "counting"): Assessment | Promise<Assessment>;
  /** Counts the payment as an attempt. */
  countAttempt(payment: Payment): void;
  /** Withdraws an attempt that `assess` has counted, because its request repeated an earlier one. */
  withdrawAttempt(payment: Payment): void;
  /** Throws a 429 for an IP network, browser or session with more attempts than a real customer makes. */
  assertAttemptsWithinLimits(payment: Omit<Payment, "traits">): void;
  /** Records the issuer's response for later evaluations. */
  recordOutcome(scope: Scope, of: Outcome): void;
};

/** The outcome of a payment after the issuer's response. */
export type Outcome = {
  /** Null if only the acquirer can decrypt the wallet's token. */
  readonly fingerprint: string | null;
  readonly email: string | null;
  readonly ip: string | null;
  readonly device: string | null;
  readonly sessionId: CheckoutSessionId | null;
  readonly declined: boolean;
  readonly checks: CardChecks | null;
};

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

export function createRiskEngine(deps: {
  readonly clock: Clock;
  readonly velocity: Velocity;
  readonly history: AmountHistory;
  readonly ruleSets: RuleSets;
}): RiskEngine {
  const { clock, velocity, history, ruleSets } = deps;

  /** Returns the signals with a risk score of 0, which the caller replaces. */
  function signalsOf(payment: Payment, now: Date): Mutable<Signals> {
    const { scope, card, price } = payment;
    const ip = payment.ip && publicAddress(payment.ip);
    const email = payment.email === null ? "" : plainEmail(payment.email);
    const seen = (subject: string | null) =>
      subject === null ? neverSeen : velocity.countsOf(scope, subject, now);
    const subjects = subjectsOf({ ...payment, fingerprint: card.fingerprint });
    const ofCard = seen(subjects.card);
    const ofEmail = seen(subjects.email);
    const ofAddress = seen(subjects.ip);
    const ofDevice = seen(subjects.device);
    return {
      amount: price.amountMinor,
      currency: price.currency,
      amount_ratio: history.ratio(scope, price),
      card_brand: card.brand,
      card_funding: card.funding,
      card_country: card.country ?? "",
      card_fingerprint: card.fingerprint ?? "",
      card_attempts_1h: ofCard.hour.attempts,
      card_attempts_24h: ofCard.day.attempts,
      card_declines_24h: ofCard.day.declines,
      card_mismatches_24h: ofCard.day.mismatches,
      customer_id: payment.customerId ?? "",
      email,
      email_domain: email && emailDomain(email),
      email_attempts_1h: ofEmail.hour.attempts,
      email_declines_24h: ofEmail.day.declines,
      ip: payment.ip ? plainAddress(payment.ip) : "",
      ip_country: (ip && countryOfAddress(ip)) ?? "",
      ip_attempts_1h: ofAddress.hour.attempts,
      ip_declines_24h: ofAddress.day.declines,
      device: payment.device ?? "",
      device_attempts_1h: ofDevice.hour.attempts,
      device_declines_24h: ofDevice.day.declines,
      billing_country: payment.billingCountry ?? "",
      off_session: payment.offSession,
      authentication_required: payment.traits.authentication === "required",
      risk_score: 0,
      risk_level: riskLevel(0),
    };
  }

  /**
   * Returns the evaluation of a payment, with the counters of the time of this call. An evaluation that waits for its
   * slice of time must not count attempts that arrived later.
   */
  function evaluationOf(payment: Payment): (ruleSet: RuleSet) => Assessment | Promise<Assessment> {
    const now = clock.now();
    const signals = signalsOf(payment, now);
    const { risk } = payment.traits;
    const scored = score(signals, risk);
    // Sets the score in the same object, because a copy of all signals would take a microsecond per charge.
    signals.risk_score = scored.score;
    signals.risk_level = riskLevel(scored.score);
    return (ruleSet) =>
      ruleSet.pace(() => assess(signals, risk, scored, ruleSet.match(signals, now)));
  }

  function countAttempt(payment: Payment): void {
    for (const subject of subjectsOfAttempt(payment)) {
      velocity.count(payment.scope, subject, "attempts", clock.now());
    }
  }

  return {
    assess(payment, counting) {
      if (counting) countAttempt(payment);
      const evaluate = evaluationOf(payment);
      const ruleSet = ruleSets.of(payment.scope);
      return ruleSet instanceof Promise ? ruleSet.then(evaluate) : evaluate(ruleSet);
    },

    countAttempt,

    withdrawAttempt(payment) {
      for (const subject of subjectsOfAttempt(payment)) {
        velocity.withdrawAttempt(payment.scope, subject, clock.now());
      }
    },

    assertAttemptsWithinLimits({ scope, card, ...payment }) {
      const subjects = subjectsOf({ ...payment, fingerprint: card.fingerprint });
      const now = clock.now();
      const inHour = (subject: string | null) =>
        subject === null ? null : velocity.countsOf(scope, subject, now).hour;
      const limits = isCardTesting(inHour(subjects.merchant))
        ? maxAttemptsWhileTested
        : maxAttempts;
      for (const by of ["ip", "device", "session"] as const) {
        if ((inHour(subjects[by])?.attempts ?? 0) >= limits[by]) throw flooded();
      }
    },

    recordOutcome(scope, outcome) {
      const now = clock.now();
      const subjects = subjectsOf(outcome);
      if (outcome.declined) {
        for (const subject of each(subjects)) velocity.count(scope, subject, "declines", now);
      }
      const { cvcCheck, addressPostalCodeCheck, addressLine1Check } = outcome.checks ?? {};
      const isMismatch = [cvcCheck, addressPostalCodeCheck, addressLine1Check].includes("fail");
      if (isMismatch && subjects.card !== null) {
        velocity.count(scope, subjects.card, "mismatches", now);
      }
    },
  };
}

/**
 * The maximum number of attempts per hour in one merchant's sessions. `ip` is for one network (`networkOf`), which may
 * be a whole office. `device` is for identical browsers in one network.
 */
const maxAttempts = { ip: 60, device: 60, session: 20 } as const;

/**
 * The limits during a card testing attack. They are lower, because such an attack comes from many networks
 * simultaneously.
 */
const maxAttemptsWhileTested = { ip: 6, device: 6, session: 3 } as const;

/** In a card testing attack, about 90% of the attempts are declined. Without an attack, 10 to 20% are. */
const cardTesting = { minDeclines: 100, declinedShare: 0.6 } as const;

/** Returns whether a merchant's sessions of the last hour look like card testing. */
function isCardTesting(merchant: Tally | null): boolean {
  if (!merchant || merchant.declines < cardTesting.minDeclines) return false;
  return merchant.declines >= merchant.attempts * cardTesting.declinedShare;
}

function flooded(): ApiError {
  const retryAfterSeconds = 15 * 60;
  return new ApiError(
    "endpoint_rate_limit_exceeded",
    "Too many payments were attempted within an hour in this checkout session, from this browser or from this IP address range. Wait 15 minutes, then try again.",
    { retryAfterSeconds },
  );
}

const none = { attempts: 0, declines: 0, mismatches: 0 };
const neverSeen = { hour: none, day: none };

type Subjects = {
  card: string | null;
  email: string | null;
  ip: string | null;
  device: string | null;
  session: string | null;
  merchant: string | null;
};

/** Returns the counter keys of a payment. The keys contain only hashes of the email and IP address. */
function subjectsOf(of: {
  fingerprint: string | null;
  email: string | null;
  ip: string | null;
  device: string | null;
  sessionId: CheckoutSessionId | null;
}): Subjects {
  const ip = of.ip && publicAddress(of.ip);
  return {
    card: of.fingerprint && `c${of.fingerprint}`,
    email: of.email && `e${shortHash(plainEmail(of.email))}`,
    // Counts IPv6 addresses by /64 network. A household has a whole /64 and could use a different address for each
    // card.
    ip: ip && `i${shortHash(networkOf(ip))}`,
    // The device is not counted without a client address. Behind a proxy that hides the addresses, browsers cannot be
    // distinguished well enough.
    device: of.device && ip ? `d${of.device}` : null,
    session: of.sessionId && `s${of.sessionId}`,
    merchant: of.sessionId && "m",
  };
}

function subjectsOfAttempt(payment: Payment): string[] {
  return each(subjectsOf({ ...payment, fingerprint: payment.card.fingerprint }));
}

function each(subjects: Subjects): string[] {
  const known: string[] = [];
  for (const by in subjects) {
    const subject = subjects[by as keyof Subjects];
    if (subject !== null) known.push(subject);
  }
  return known;
}

function shortHash(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}
