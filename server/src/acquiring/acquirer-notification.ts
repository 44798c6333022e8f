import { disputeReasons } from "@florin/contract/dispute.ts";
import { nullable } from "@florin/contract/nullable.ts";
import Type, { type Static } from "typebox";

const checks = Type.Object({
  cvcCheck: nullable(Type.String()),
  addressLine1Check: nullable(Type.String()),
  addressPostalCodeCheck: nullable(Type.String()),
});
const unknown = Type.Object({ kind: Type.Literal("unknown"), why: Type.String() });

const chargeAnswer = Type.Union([
  Type.Object({
    kind: Type.Literal("approved"),
    approvedMinor: Type.Integer(),
    checks,
    networkTransactionId: nullable(Type.String()),
  }),
  Type.Object({
    kind: Type.Literal("declined"),
    declineCode: Type.String(),
    networkDeclineCode: nullable(Type.String()),
    checks,
  }),
  Type.Object({ kind: Type.Literal("pending") }),
  Type.Object({ kind: Type.Literal("not_sent") }),
  unknown,
]);

const operationAnswer = Type.Union([
  Type.Object({ kind: Type.Literal("done") }),
  Type.Object({ kind: Type.Literal("refused"), declineCode: Type.String() }),
  Type.Object({ kind: Type.Literal("pending") }),
  unknown,
]);

/** The body of a notification that test mode's acquirer posts. The notices are those of `processor.ts`. */
export const AcquirerNotification = Type.Union([
  Type.Object({
    type: Type.Literal("charge"),
    notice: Type.Object({
      account: Type.String(),
      livemode: Type.Literal(false),
      reference: Type.String(),
      answer: chargeAnswer,
    }),
  }),
  Type.Object({
    type: Type.Literal("operation"),
    notice: Type.Object({
      account: Type.String(),
      livemode: Type.Literal(false),
      reference: Type.String(),
      answer: operationAnswer,
    }),
  }),
  Type.Object({
    type: Type.Literal("dispute"),
    notice: Type.Object({
      account: Type.String(),
      livemode: Type.Literal(false),
      networkCase: Type.String(),
      charge: Type.String(),
      reason: Type.Enum([...disputeReasons]),
      isInquiry: Type.Boolean(),
      amountMinor: nullable(Type.Integer()),
      state: Type.Union([Type.Literal("open"), Type.Literal("won"), Type.Literal("lost")]),
    }),
  }),
]);
export type AcquirerNotification = Static<typeof AcquirerNotification>;
