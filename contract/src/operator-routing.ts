import Type, { type Static } from "typebox";
import { amountToCharge, currency } from "./amount.ts";
import { countryCode } from "./country.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { processorNames } from "./operator-connections.ts";
import { cardNetwork, fundings } from "./payment-method.ts";
import { text } from "./text.ts";
import { routeSkipReasons } from "./timeline.ts";

/** The routing rules of accounts and their simulation, in the private API of the admin console. */

const strict = { additionalProperties: false } as const;

const rule = Type.Object(
  {
    name: text(100, "Name that is shown to operators and to the merchant."),
    condition: nullable(
      text(
        1000,
        "Condition in the Common Expression Language on `amount`, `currency`, `card_network`, `card_country`, `card_funding` and `metadata`, such as `card_country in ['DE', 'AT'] && metadata['plan'] == 'gold'`. Null for all payments.",
      ),
    ),
    targets: Type.Array(
      Type.Object(
        {
          assignment: text(255, "Active assignment of the account. Begins with `asg_`."),
          weight: Type.Integer({
            minimum: 1,
            maximum: 1000,
            description: "Share of the payments, relative to the rule's other targets.",
          }),
        },
        strict,
      ),
      { minItems: 1, maxItems: 10, description: "Assignments that process the payments." },
    ),
  },
  strict,
);

const rules = () =>
  Type.Array(rule, {
    maxItems: 50,
    description:
      "Rules in the order in which they apply. Payments that no rule matches, and payments that the targets do not accept, are routed by the priorities of the assignments.",
  });

export const ReplaceRoutingRules = Type.Object(
  {
    version: Type.Integer({
      minimum: 0,
      description: "Version of the rules that the operator read. 0 if there were none.",
    }),
    rules: rules(),
    cascade_declines: Type.Boolean({
      description:
        "True if a charge that the issuer declined without a definite reason may be sent over one more connection. Card networks charge fees for repeated declines and limit them by card.",
    }),
    reason: text(2000, "Reason for the change. It is stored permanently."),
  },
  strict,
);
export type ReplaceRoutingRules = Static<typeof ReplaceRoutingRules>;

export const RoutingRules = Type.Object({
  object: Type.Literal("routing_rules"),
  account: Type.String(),
  /** 0 for an account whose rules have never been stored. */
  version: Type.Integer(),
  cascade_declines: Type.Boolean(),
  rules: Type.Array(
    Type.Object({
      name: Type.String(),
      condition: nullable(Type.String()),
      targets: Type.Array(Type.Object({ assignment: Type.String(), weight: Type.Integer() })),
    }),
  ),
});
export type RoutingRules = Static<typeof RoutingRules>;
export type RoutingRule = RoutingRules["rules"][number];

export const SimulateRouting = Type.Object(
  {
    account: text(255, "Account that charges the payment. Begins with `acct_`."),
    payment: Type.Object(
      {
        amount: amountToCharge("Amount of the payment."),
        currency: currency(),
        card_network: cardNetwork("Network of the card."),
        card_country: Type.Optional(nullable(countryCode("Country of the issuer"))),
        card_funding: Type.Optional(
          Type.Enum([...fundings], { description: "Funding type of the card." }),
        ),
        metadata: Type.Optional(metadata()),
        charge_id: Type.Optional(
          text(
            255,
            "Charge whose place in weighted splits is used. Without it, the targets of a split are listed by weight.",
          ),
        ),
      },
      strict,
    ),
    rules: Type.Optional(rules()),
  },
  strict,
);
export type SimulateRouting = Static<typeof SimulateRouting>;

const candidate = {
  assignment: Type.String(),
  connection: Type.String(),
  connection_name: Type.String(),
  processor: Type.Enum([...processorNames]),
  merchant_account: Type.String(),
};

/** The route that a payment would take now, as determined by the server process that serves this request. */
export const RoutingSimulation = Type.Object({
  object: Type.Literal("routing_simulation"),
  /** The rules, each with the result of its condition. */
  rules: Type.Array(
    Type.Object({ number: Type.Integer(), name: Type.String(), matches: Type.Boolean() }),
  ),
  /** The assignments in the order in which they are tried. Empty if no acquirer accepts the payment. */
  order: Type.Array(
    Type.Object({
      ...candidate,
      /**
       * The number of the rule that determined the assignment's place in the order. Null if the assignment's priority
       * determined it.
       */
      rule: nullable(Type.Integer()),
      /** The percentage of payments with the simulated properties that Florin sends over this assignment first. */
      share: Type.Number(),
    }),
  ),
  skipped: Type.Array(Type.Object({ ...candidate, reason: Type.Enum([...routeSkipReasons]) })),
});
export type RoutingSimulation = Static<typeof RoutingSimulation>;
