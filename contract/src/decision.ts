import Type, { type Static } from "typebox";
import { amount, amountToCharge, currency } from "./amount.ts";
import { riskLevels } from "./charge.ts";
import { id, idParameter } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime, version } from "./object-fields.ts";
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
    ...objectFields("dec", "decision"),
    outcome: Type.Enum([...decisionOutcomes], {
      description:
        "`approve`: charge. `challenge`: charge with 3-D Secure. `review`: a person decides. `decline`: do not charge.",
    }),
    status: Type.Enum([...decisionStatuses], {
      description:
        "Status of the decision. Only one charge can use a decision. `superseded`: you requested a newer decision on the same payment method, amount, currency and customer.",
    }),
    amount: amount("Amount of the payment."),
    currency: currency(),
    payment_method_id: id("pm", "Payment method of the payment."),
    customer_id: nullable(id("cus", "Customer of the payment.")),
    ip: nullable(Type.String({ description: "IP address of the customer, as you sent it." })),
    ip_country: nullable(
      Type.String({
        pattern: "^[A-Z]{2}$",
        description:
          "Country of the IP address, ISO 3166-1 alpha-2. Null without an IPv4 address, and for an address of a private network.",
      }),
    ),
    email: nullable(Type.String({ description: "Email address of the customer, as you sent it." })),
    risk_score: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: "Risk score from 0 (lowest risk) to 100.",
    }),
    risk_level: Type.Enum([...riskLevels], {
      description: "Risk level that follows from the score.",
    }),
    reasons: Type.Array(Type.String(), { description: "Reasons for the outcome." }),
    matched_rules: Type.Array(Type.String(), { description: "Rules that matched." }),
    three_d_secure: Type.Object(
      {
        required: Type.Boolean({ description: "True if the customer must pass 3-D Secure." }),
        result: nullable(
          Type.String({ description: "Result of the authentication. Null before it starts." }),
        ),
        eci: nullable(Type.String({ description: "Electronic commerce indicator." })),
        version: nullable(Type.String({ description: "Version of the protocol." })),
        ds_transaction_id: nullable(
          Type.String({ description: "Directory server's ID of the authentication." }),
        ),
        liability_shift: Type.Boolean({
          description: "True if the issuer is liable for fraud.",
        }),
      },
      { description: "3-D Secure requirement and result." },
    ),
    review: nullable(
      Type.Enum([...reviewStatuses], {
        description:
          "For the outcome `review`: `open` until a person approves or declines the payment. Otherwise null.",
      }),
    ),
    charge_id: nullable(id("ch", "Charge that used the decision.")),
    expires_at: unixTime("Time until which a charge can use the decision"),
    version: version(),
    metadata: metadata(),
  },
  { description: "Risk evaluation of a payment." },
);
export type Decision = Static<typeof Decision>;

export const CreateDecision = Type.Object(
  {
    amount: amountToCharge("Amount to charge."),
    currency: currency(),
    payment_method_id: idParameter("pm", "Payment method to charge."),
    customer_id: Type.Optional(idParameter("cus", "Customer who pays.")),
    ip: Type.Optional(networkAddress("IPv4 or IPv6 address of the customer.")),
    email: Type.Optional(emailAddress("Email address of the customer.")),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateDecision = Static<typeof CreateDecision>;

export const ListDecisions = listQuery({
  payment_method_id: Type.Optional(idParameter("pm", "Payment method to filter by.")),
  customer_id: Type.Optional(idParameter("cus", "Customer to filter by.")),
  outcome: oneOrMore(decisionOutcomes, "Outcome to filter by."),
  review: oneOrMore(reviewStatuses, "Review status to filter by. `open` is the review queue."),
});
export type ListDecisions = Static<typeof ListDecisions>;
