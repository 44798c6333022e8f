import type { AssignmentId } from "../../core/ids.ts";
import {
  type Condition,
  createConditionLanguage,
} from "../../platform/conditions/condition-language.ts";
import type { RoutedPayment } from "./routed-payment.ts";

/** A routing rule of an account, as stored. */
export type RoutingRule = {
  readonly name: string;
  /** The condition on a payment, in CEL. Null if the rule applies to every payment. */
  readonly condition: string | null;
  /** The assignments that take the payments, with the share of each. */
  readonly targets: readonly RoutingTarget[];
};

export type RoutingTarget = {
  readonly assignment: AssignmentId;
  /** The share of the payments, relative to the weights of the rule's other targets. */
  readonly weight: number;
};

/** The routing rules of an account, in the order in which they apply. Each change stores a new version. */
export type RoutingRules = {
  /** 0 for an account whose rules have never been stored. */
  readonly version: number;
  /** True if some declined charges may be sent over another connection. */
  readonly cascadeDeclines: boolean;
  readonly rules: readonly RoutingRule[];
};

export const noRules: RoutingRules = { version: 0, cascadeDeclines: false, rules: [] };

/** A rule with its compiled condition. */
export type CompiledRule = Pick<RoutingRule, "targets"> & {
  readonly matches: (facts: RoutingFacts) => boolean;
};

export type CompiledRules = Omit<RoutingRules, "rules"> & {
  readonly rules: readonly CompiledRule[];
};

/** The properties of a payment, under the names by which conditions read them. An empty text means unknown. */
export type RoutingFacts = {
  /** In the currency's minor unit. */
  readonly amount: number;
  readonly currency: string;
  /** The network that the customer chose, or else the card's default network. */
  readonly card_network: string;
  readonly card_country: string;
  readonly card_funding: string;
  readonly metadata: Readonly<Record<string, string>>;
};

const language = createConditionLanguage<RoutingFacts>({
  amount: "int",
  currency: "string",
  card_network: "string",
  card_country: "string",
  card_funding: "string",
  metadata: "texts",
});

/**
 * The maximum total cost of an account's conditions, about 0.5 ms per charge. The unit is that of the condition
 * language.
 */
export const maxRoutingCost = 10_000;

/** Compiles a condition. Throws a 400 that names `param` and the problem. */
export function compileRoutingCondition(
  expression: string,
  param: string,
): Condition<RoutingFacts> {
  return language.compile(expression, param);
}

/** Returns an upper bound of the time that an accepted condition takes, in the units of `maxRoutingCost`. */
export const { costOf: costOfRoutingCondition } = language;

/**
 * Compiles stored rules. A condition that is no longer accepted, for example after a downgrade, never matches: the
 * payment then takes the next rule, and is not rejected.
 */
export function compileRules({ rules, ...settings }: RoutingRules): CompiledRules {
  return {
    ...settings,
    rules: rules.map(({ condition, targets }) => ({
      targets,
      matches:
        condition === null
          ? () => true
          : language.whyUnusable(condition) === null
            ? matching(language.compile(condition, "condition"))
            : () => false,
    })),
  };
}

/** Returns the condition as a function that returns false if it fails, for example with a division by zero. */
function matching(condition: Condition<RoutingFacts>): (facts: RoutingFacts) => boolean {
  return (facts) => {
    try {
      return condition(facts);
    } catch {
      return false;
    }
  };
}

/** Returns the properties of a payment that conditions read. */
export function factsOf({ price, card, metadata }: RoutedPayment): RoutingFacts {
  const { available, preferred } = card.networks;
  return {
    amount: price.amountMinor,
    currency: price.currency,
    card_network: preferred ?? available[0] ?? "",
    card_country: card.country ?? "",
    card_funding: card.funding,
    metadata,
  };
}
