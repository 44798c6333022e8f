import Type, { type Static } from "typebox";
import { amount, amountToMove, currency } from "./amount.ts";
import { pendingReasons } from "./charge.ts";
import { type DeclineCode, declineCodes } from "./declines.ts";
import { id, idParameter } from "./ids.ts";
import { downloadQuery, listQuery, oneOrMore } from "./list.ts";
import { metadata } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFields, version } from "./object-fields.ts";

export const refundStatuses = ["pending", "succeeded", "failed"] as const;
export type RefundStatus = (typeof refundStatuses)[number];

export const refundReasons = ["duplicate", "fraudulent", "requested_by_customer"] as const;
export type RefundReason = (typeof refundReasons)[number];

const reason = () => Type.Enum([...refundReasons], { description: "Reason for the refund." });

/** The return of captured money to the cardholder. */
export const Refund = Type.Object(
  {
    ...objectFields("re", "refund"),
    version: version(),
    charge_id: id("ch", "Charge that is refunded."),
    amount: amount("Amount of the refund."),
    currency: currency(),
    status: Type.Enum([...refundStatuses], {
      description: "Status of the refund. A `succeeded` refund can still fail days later.",
    }),
    pending_reason: nullable(
      Type.Enum([...pendingReasons], {
        description: "Reason why the refund is still `pending`.",
      }),
    ),
    reason: nullable(reason()),
    failure_reason: nullable(
      Type.Unsafe<DeclineCode>(
        Type.Enum(Object.keys(declineCodes), { description: "Reason for the failure." }),
      ),
    ),
    balance_transaction_id: nullable(
      id("txn", "Balance transaction of the refund, once it succeeded."),
    ),
    failure_balance_transaction_id: nullable(
      id("txn", "Balance transaction that returned the amount after a late failure."),
    ),
    metadata: metadata(),
  },
  { description: "Return of captured money to the cardholder." },
);
export type Refund = Static<typeof Refund>;

export const CreateRefund = Type.Object(
  {
    charge_id: idParameter("ch", "Charge to refund."),
    amount: Type.Optional(
      amountToMove("Amount to refund. By default, the remaining amount of the charge."),
    ),
    reason: Type.Optional(reason()),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateRefund = Static<typeof CreateRefund>;

const refundFilters = {
  charge_id: Type.Optional(idParameter("ch", "Charge to filter by.")),
  status: oneOrMore(refundStatuses, "Status to filter by."),
};

export const ListRefunds = listQuery(refundFilters);
export type ListRefunds = Static<typeof ListRefunds>;

export const DownloadRefunds = downloadQuery(refundFilters);
export type DownloadRefunds = Static<typeof DownloadRefunds>;
