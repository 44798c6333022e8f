import Type, { type Static } from "typebox";
import { amount, amountToMove, currency } from "./amount.ts";
import { pendingReasons } from "./charge.ts";
import { type DeclineCode, declineCodes } from "./declines.ts";
import { id, idParameter } from "./ids.ts";
import { listQuery } from "./list.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFacts, version } from "./object-facts.ts";

export const refundStatuses = ["pending", "succeeded", "failed"] as const;

export const refundReasons = ["duplicate", "fraudulent", "requested_by_customer"] as const;
export type RefundReason = (typeof refundReasons)[number];

const reason = () =>
  Type.Enum([...refundReasons], { description: "Why the money goes back, in your judgement." });

/** The return of captured money to the cardholder. */
export const Refund = Type.Object(
  {
    ...objectFacts("re", "refund"),
    version: version(),
    charge_id: id("ch", "The charge whose money goes back."),
    amount: amount("What goes back."),
    currency: currency(),
    status: Type.Enum([...refundStatuses], {
      description: "Where the refund stands. One that succeeded can still fail days later.",
    }),
    pending_reason: nullable(
      Type.Enum([...pendingReasons], { description: "Why it is still `pending`." }),
    ),
    reason: nullable(reason()),
    failure_reason: nullable(
      Type.Unsafe<DeclineCode>(
        Type.Enum(Object.keys(declineCodes), { description: "Why it failed." }),
      ),
    ),
    balance_transaction_id: nullable(
      id("txn", "The entry in the balance that took the money, once it was given back."),
    ),
    failure_balance_transaction_id: nullable(
      id("txn", "The entry in the balance that returned the money, when the refund failed late."),
    ),
    metadata: metadata(),
  },
  { description: "Money of one charge that goes back to the cardholder." },
);
export type Refund = Static<typeof Refund>;

export const CreateRefund = Type.Object(
  {
    charge_id: idParameter("ch", "The charge whose money goes back."),
    amount: Type.Optional(
      amountToMove("What goes back; all that is left of the charge, when left out."),
    ),
    reason: Type.Optional(reason()),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateRefund = Static<typeof CreateRefund>;

export const ListRefunds = listQuery({
  charge_id: Type.Optional(idParameter("ch", "Only those of this charge.")),
});
export type ListRefunds = Static<typeof ListRefunds>;
