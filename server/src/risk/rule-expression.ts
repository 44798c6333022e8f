import { plainDomain } from "../core/email-address.ts";
import {
  type Condition,
  createConditionLanguage,
} from "../platform/conditions/condition-language.ts";
import type { Kind } from "../platform/conditions/shape.ts";
import type { Signals } from "./signals.ts";

/** A compiled condition on a payment. */
export type RuleCondition = Condition<Signals>;

const kinds: Readonly<Record<keyof Signals, Kind>> = {
  amount: "int",
  currency: "string",
  amount_ratio: "double",
  card_brand: "string",
  card_funding: "string",
  card_country: "string",
  card_fingerprint: "string",
  card_attempts_1h: "int",
  card_attempts_24h: "int",
  card_declines_24h: "int",
  card_mismatches_24h: "int",
  customer_id: "string",
  email: "string",
  email_domain: "string",
  email_attempts_1h: "int",
  email_declines_24h: "int",
  ip: "string",
  ip_country: "string",
  ip_attempts_1h: "int",
  ip_declines_24h: "int",
  device: "string",
  device_attempts_1h: "int",
  device_declines_24h: "int",
  billing_country: "string",
  off_session: "bool",
  authentication_required: "bool",
  risk_score: "int",
  risk_level: "string",
};

export const signalNames = Object.keys(kinds) as readonly (keyof Signals)[];

const language = createConditionLanguage<Signals>(kinds);

/**
 * Compiles the condition of a risk rule. Throws a 400 that names the problem. The signals contain domains in Unicode. A
 * rule with a domain in Punycode matches them too, because the signals of earlier releases contained domains as the
 * customer wrote them.
 */
export function compileRule(expression: string, param = "expression"): RuleCondition {
  // Compiles the given expression first, so that the positions in error messages refer to it.
  const condition = language.compile(expression, param);
  const unicode = expression.replace(/(?<![a-z0-9-])xn--[a-z0-9-]+/gi, plainDomain);
  return unicode === expression ? condition : language.compile(unicode, param);
}

/** Returns why a stored expression is no longer accepted, or null if it is. */
export const { whyUnusable } = language;

/**
 * The maximum total cost of a merchant's enabled rules in one mode, about 2.5 ms per charge. Other requests wait for
 * that time, so the limit applies to all rules together and not to each.
 */
export const maxTotalRuleCost = 50_000;

/** Returns an upper bound of the time that an accepted expression takes, in the units of `maxTotalRuleCost`. */
export const { costOf: costOfRule } = language;
