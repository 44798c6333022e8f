import Type, { type Static } from "typebox";
import { amountToMove, currency } from "./amount.ts";
import { id, idParameter } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime, version } from "./object-fields.ts";
import { text } from "./text.ts";

/** An amount that may be negative. */
const signed = (description: string) =>
  Type.Integer({ description: `${description} In the smallest unit of the currency.` });

const Amounts = (description: string) =>
  Type.Array(Type.Object({ currency: currency(), amount: signed("Amount.") }), { description });

/** The merchant's balance by currency. */
export const Balance = Type.Object(
  {
    object: Type.Literal("balance", { description: "Always `balance`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    available: Amounts("Amounts that can be paid out now. Negative if you owe money."),
    pending: Amounts("Captured amounts that are not yet available for payout."),
  },
  { description: "Your balance, by currency." },
);
export type Balance = Static<typeof Balance>;

export const balanceTransactionTypes = [
  "charge",
  "charge_failure",
  "refund",
  "refund_failure",
  "dispute",
  "dispute_reversal",
  "payout",
  "payout_failure",
  "acquirer_fee",
  "acquirer_fee_return",
  "conversion_out",
  "conversion_in",
] as const;
export type BalanceTransactionType = (typeof balanceTransactionTypes)[number];

/** One change of the balance. */
export const BalanceTransaction = Type.Object(
  {
    ...objectFields("txn", "balance_transaction"),
    type: Type.Enum([...balanceTransactionTypes], { description: "Type of the movement." }),
    amount: signed("Amount before fees. Negative for a movement out of the balance."),
    fee: signed(
      "Fee of the service, or of the live acquirer for `acquirer_fee`. Negative if it is returned.",
    ),
    net: signed("Amount minus fee: the change of the balance."),
    currency: currency(),
    source: Type.String({
      description:
        "ID of the charge, refund, dispute, payout or settlement that caused the movement. A settlement (`stl_`) is your share of a batch that a live acquirer settled.",
    }),
    status: Type.Enum(["pending", "available"], {
      description: "`available` if the amount can be paid out.",
    }),
    available_on: nullable(
      unixTime(
        "Time at which the amount can be paid out",
        "Null for a live payment that the acquirer has not settled yet.",
      ),
    ),
  },
  { description: "One movement of your balance." },
);
export type BalanceTransaction = Static<typeof BalanceTransaction>;

export const ListBalanceTransactions = listQuery({
  type: oneOrMore(balanceTransactionTypes, "Type to filter by."),
  types: oneOrMore(balanceTransactionTypes, "Alias of `type`. Send only one of the two."),
  currency: Type.Optional(currency()),
  source: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "ID of the charge, refund, dispute, payout or settlement to filter by.",
    }),
  ),
});
export type ListBalanceTransactions = Static<typeof ListBalanceTransactions>;

export const payoutStatuses = ["pending", "in_transit", "paid", "failed"] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** A transfer of balance to the merchant's bank account. */
export const Payout = Type.Object(
  {
    ...objectFields("po", "payout"),
    version: version(),
    amount: Type.Integer({
      minimum: 1,
      description: "Amount of the payout, in the smallest unit of the currency.",
    }),
    currency: currency(),
    status: Type.Enum([...payoutStatuses], { description: "Status of the payout." }),
    automatic: Type.Boolean({ description: "True if the daily schedule created the payout." }),
    description: nullable(Type.String({ description: "Your description of the payout." })),
    failure_code: nullable(
      Type.Enum(["account_closed"], {
        description: "Reason why the bank returned the payout.",
      }),
    ),
    balance_transaction_id: id("txn", "Balance transaction of the payout."),
    failure_balance_transaction_id: nullable(
      id("txn", "Balance transaction that returned the amount after a failure."),
    ),
    arrival_date: unixTime("Time of arrival at the bank, expected or actual"),
    metadata: metadata(),
  },
  { description: "Transfer of your balance to your bank account." },
);
export type Payout = Static<typeof Payout>;

export const CreatePayout = Type.Object(
  {
    amount: amountToMove("Amount to pay out."),
    currency: currency(),
    description: Type.Optional(text(1000, "Your description of the payout.")),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreatePayout = Static<typeof CreatePayout>;

export const ListPayouts = listQuery({
  status: oneOrMore(payoutStatuses, "Status to filter by."),
  charge_id: Type.Optional(
    idParameter(
      "ch",
      "Charge that the payout contains. A payout that you create yourself pays out an amount and contains no charges.",
    ),
  ),
});
export type ListPayouts = Static<typeof ListPayouts>;
