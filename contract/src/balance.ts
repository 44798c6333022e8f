import Type, { type Static } from "typebox";
import { amountToMove, currency } from "./amount.ts";
import { id } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFacts, unixTime, version } from "./object-facts.ts";

/** An amount that may be negative. */
const signed = (description: string) =>
  Type.Integer({ description: `${description} In the smallest unit of the currency.` });

const Amounts = (description: string) =>
  Type.Array(Type.Object({ currency: currency(), amount: signed("How much.") }), { description });

/** The merchant's balance by currency. */
export const Balance = Type.Object(
  {
    object: Type.Literal("balance", { description: "Always `balance`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    available: Amounts("What can be paid out now; negative when you owe it."),
    pending: Amounts("What was taken from cards and is not settled yet."),
  },
  { description: "What the service owes you, by currency." },
);
export type Balance = Static<typeof Balance>;

export const balanceTransactionTypes = [
  "charge",
  "refund",
  "refund_failure",
  "dispute",
  "dispute_reversal",
  "payout",
  "payout_failure",
] as const;
export type BalanceTransactionType = (typeof balanceTransactionTypes)[number];

/** One change of the balance. */
export const BalanceTransaction = Type.Object(
  {
    ...objectFacts("txn", "balance_transaction"),
    type: Type.Enum([...balanceTransactionTypes], { description: "What moved the money." }),
    amount: signed("What moved, before fees; negative when it left."),
    fee: signed("What the service took for it."),
    net: signed("Amount less fee: by so much the balance changed."),
    currency: currency(),
    source: Type.String({ description: "The charge, refund, dispute or payout that moved it." }),
    status: Type.Enum(["pending", "available"], { description: "Whether it can be paid out." }),
    available_on: unixTime("When it can be paid out"),
  },
  { description: "One movement of your balance." },
);
export type BalanceTransaction = Static<typeof BalanceTransaction>;

export const ListBalanceTransactions = listQuery({
  type: oneOrMore(balanceTransactionTypes, "Only those of this type."),
  types: oneOrMore(balanceTransactionTypes, "Another name of `type`. Send one of the two."),
  currency: Type.Optional(currency()),
  source: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Only those of this charge, refund, dispute or payout.",
    }),
  ),
});
export type ListBalanceTransactions = Static<typeof ListBalanceTransactions>;

export const payoutStatuses = ["pending", "in_transit", "paid", "failed"] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** A transfer of balance to the merchant's bank account. */
export const Payout = Type.Object(
  {
    ...objectFacts("po", "payout"),
    version: version(),
    amount: Type.Integer({ minimum: 1, description: "What is paid out." }),
    currency: currency(),
    status: Type.Enum([...payoutStatuses], { description: "Where the payout stands." }),
    automatic: Type.Boolean({ description: "True when the daily schedule made it." }),
    description: nullable(Type.String({ description: "Your own words for it." })),
    failure_code: nullable(
      Type.Enum(["account_closed"], { description: "Why the bank sent it back." }),
    ),
    balance_transaction_id: id("txn", "The entry in the balance that took the money."),
    failure_balance_transaction_id: nullable(
      id("txn", "The entry in the balance that brought it back, when it failed."),
    ),
    arrival_date: unixTime("When it arrives, or arrived"),
    metadata: metadata(),
  },
  { description: "Money on its way to your bank account." },
);
export type Payout = Static<typeof Payout>;

export const CreatePayout = Type.Object(
  {
    amount: amountToMove("What to pay out."),
    currency: currency(),
    description: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1000, description: "Your own words for it." }),
    ),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreatePayout = Static<typeof CreatePayout>;

export const ListPayouts = listQuery({
  status: oneOrMore(payoutStatuses, "Only those in this status."),
});
export type ListPayouts = Static<typeof ListPayouts>;
