import { maxAmount } from "@florin/contract/currency.ts";
import { disputeReasons } from "@florin/contract/dispute.ts";
import { idPattern } from "@florin/contract/ids.ts";
import { nullable } from "@florin/contract/nullable.ts";
import Type, { type Static } from "typebox";

const account = Type.String({ pattern: idPattern("acct") });
const charge = Type.String({ pattern: idPattern("ch") });
const operation = Type.String({ pattern: idPattern("ch").replace("ch", "op") });
/** The format of the network's case number, a UUID. */
const uuid = Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" });
/** An amount in minor units. The amount of a dispute is negative if other disputes and refunds exceed the payment. */
const amountMinor = Type.Integer({ minimum: -maxAmount, maximum: maxAmount });

const text = nullable(Type.String());
const details = Type.Object({
  acquirerReference: text,
  authorizationCode: text,
  eci: text,
  liabilityShifted: nullable(Type.Boolean()),
  networkTransactionId: text,
  networkAdviceCode: text,
  checks: Type.Object({
    cvcCheck: text,
    addressLine1Check: text,
    addressPostalCodeCheck: text,
  }),
  card: Type.Object({ brand: text, funding: text, country: text, last4: text }),
  accountUpdate: Type.Null(),
});
const pending = Type.Object({ kind: Type.Literal("pending"), acquirerReference: text });
const unknown = Type.Object({
  kind: Type.Literal("unknown"),
  why: Type.String(),
  problem: Type.String(),
});

const chargeResponse = Type.Union([
  Type.Object({
    kind: Type.Literal("approved"),
    approvedMinor: Type.Integer({ minimum: 0, maximum: maxAmount }),
    details,
  }),
  Type.Object({
    kind: Type.Literal("declined"),
    code: Type.String(),
    networkDeclineCode: text,
    retry: Type.String(),
    notBefore: Type.Null(),
    details,
  }),
  pending,
  Type.Object({ kind: Type.Literal("not_sent") }),
  unknown,
]);

const operationResponse = Type.Union([
  Type.Object({ kind: Type.Literal("done"), acquirerReference: text }),
  Type.Object({ kind: Type.Literal("declined"), code: Type.String(), reason: text }),
  pending,
  unknown,
]);

/**
 * The body of a notification from test mode's acquirer. Its `notification` has one of the notification types in
 * `processor.ts`.
 */
export const AcquirerNotification = Type.Union([
  Type.Object({
    type: Type.Literal("charge"),
    notification: Type.Object({
      account,
      livemode: Type.Literal(false),
      reference: charge,
      response: chargeResponse,
    }),
  }),
  Type.Object({
    type: Type.Literal("operation"),
    notification: Type.Object({
      account,
      livemode: Type.Literal(false),
      reference: operation,
      response: operationResponse,
    }),
  }),
  Type.Object({
    type: Type.Literal("dispute"),
    notification: Type.Object({
      account,
      livemode: Type.Literal(false),
      networkCase: uuid,
      charge,
      reason: Type.Enum([...disputeReasons]),
      isInquiry: Type.Boolean(),
      amountMinor: nullable(amountMinor),
      state: Type.Union([Type.Literal("open"), Type.Literal("won"), Type.Literal("lost")]),
    }),
  }),
]);
export type AcquirerNotification = Static<typeof AcquirerNotification>;
