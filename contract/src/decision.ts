import Type, { type Static } from "typebox";
import { amount, amountToCharge, currency } from "./amount.ts";
import { riskLevels } from "./charge.ts";
import { id, idParameter } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFacts, unixTime, version } from "./object-facts.ts";
import { emailAddress, networkAddress } from "./web-address.ts";

export const decisionOutcomes = ["approve", "challenge", "review", "decline"] as const;
export type DecisionOutcome = (typeof decisionOutcomes)[number];

export const decisionStatuses = ["active", "used", "expired", "superseded"] as const;
export type DecisionStatus = (typeof decisionStatuses)[number];

export const reviewStatuses = ["open", "approved", "declined"] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

/** The time within which a decision can be used for a charge. */
export const decisionLifetimeSeconds = 30 * 60;

/** The risk evaluation of a payment, with the recommended action. */
export const Decision = Type.Object(
  {
    ...objectFacts("dec", "decision"),
    outcome: Type.Enum([...decisionOutcomes], {
      description:
        "`approve`: go on; `challenge`: with 3-D Secure; `review`: a person looks at it; `decline`: do not charge.",
    }),
    status: Type.Enum([...decisionStatuses], {
      description:
        "Whether a charge can still use it. It can be used once. `superseded`: you asked again about the same payment method, amount, currency and customer.",
    }),
    amount: amount("The amount it was made for."),
    currency: currency(),
    payment_method_id: id("pm", "The payment method it was made for."),
    customer_id: nullable(id("cus", "The customer it was made for.")),
    ip: nullable(Type.String({ description: "The customer's network address, as you told it." })),
    email: nullable(Type.String({ description: "The customer's email address, as you told it." })),
    risk_score: Type.Integer({ minimum: 0, maximum: 100, description: "0 is harmless." }),
    risk_level: Type.Enum([...riskLevels], { description: "The score in a word." }),
    reasons: Type.Array(Type.String(), { description: "What spoke for or against it." }),
    matched_rules: Type.Array(Type.String(), { description: "The rules that decided." }),
    three_d_secure: Type.Object(
      {
        required: Type.Boolean({ description: "Whether the customer must pass 3-D Secure." }),
        result: nullable(Type.String({ description: "How it ended; null before it began." })),
        eci: nullable(Type.String({ description: "Electronic commerce indicator." })),
        version: nullable(Type.String({ description: "The protocol's version." })),
        ds_transaction_id: nullable(
          Type.String({ description: "The directory server's id of the authentication." }),
        ),
        liability_shift: Type.Boolean({
          description: "Whether the issuer bears the loss of a fraud.",
        }),
      },
      { description: "What 3-D Secure has to do with it." },
    ),
    review: nullable(
      Type.Enum([...reviewStatuses], {
        description:
          "With the outcome `review`: `open` until somebody approves or declines it; else null.",
      }),
    ),
    charge_id: nullable(id("ch", "The charge that used it.")),
    expires_at: unixTime("Until when a charge can use it"),
    version: version(),
    metadata: metadata(),
  },
  { description: "What the service thinks of a payment." },
);
export type Decision = Static<typeof Decision>;

export const CreateDecision = Type.Object(
  {
    amount: amountToCharge("What is to be charged."),
    currency: currency(),
    payment_method_id: idParameter("pm", "What is to be charged."),
    customer_id: Type.Optional(idParameter("cus", "The customer who pays.")),
    ip: Type.Optional(networkAddress("The customer's IPv4 or IPv6 address.")),
    email: Type.Optional(emailAddress("The customer's email address.")),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateDecision = Static<typeof CreateDecision>;

export const ListDecisions = listQuery({
  payment_method_id: Type.Optional(idParameter("pm", "Only those on this payment method.")),
  customer_id: Type.Optional(idParameter("cus", "Only those on this customer.")),
  outcome: oneOrMore(decisionOutcomes, "Only those with this outcome."),
  review: oneOrMore(reviewStatuses, "Only reviews that stand so: the queue is `open`."),
});
export type ListDecisions = Static<typeof ListDecisions>;
