import type { CheckoutSessionStatus, PaymentStatus } from "@florin/contract/checkout-session.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardErrorCode } from "@florin/contract/errors.ts";
import type { NewCardDetails } from "../../cards/payment-methods/new-card-details.ts";
import type {
  ChargeId,
  CheckoutSessionId,
  CustomerId,
  Id,
  PaymentMethodId,
  VerificationId,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { ApiResponse } from "../../platform/http/route.ts";
import type { NewEvent } from "../../webhooks/events/event.ts";
import type { Entry } from "../ledger/ledger.sql.ts";
import type { ChangeKind, changes, chargeAmounts } from "./changes.ts";
import type { RowOf } from "./columns.ts";

/** A state change of one object, with everything that is written in the same statement. Only the change is required. */
export type Transition<Kind extends ChangeKind = ChangeKind> = {
  readonly scope: Scope;
  readonly change: Change<Kind>;
  /** The new amounts of the charge of an operation or a dispute. The caller must hold the charge's row lock. */
  readonly charge?: ChargeAmounts | null;
  readonly entries?: readonly Entry[];
  readonly events?: readonly NewEvent[];
  readonly session?: SessionChange | null;
  readonly card?: CardChange | null;
  readonly response?: StoredResponse | null;
  /** True if the charge may have been inserted after its block of the search index was built. A job then indexes it. */
  readonly isLate?: boolean;
};

/** The object after the transition. */
export type Change<Kind extends ChangeKind = ChangeKind> = {
  [Each in Kind]: {
    readonly kind: Each;
    readonly id: Id<string>;
    /**
     * The new version: 1 for a new object, otherwise the stored version plus one. Nothing is written if the stored
     * version differs.
     */
    readonly version: number;
    readonly row: RowOf<(typeof changes)[Each]["columns"]>;
  };
}[Kind];

export type ChargeAmounts = {
  readonly id: ChargeId;
  readonly version: number;
  readonly row: RowOf<typeof chargeAmounts>;
};

/** The new state of the checkout session that the charge or card verification belongs to. */
export type SessionChange = {
  readonly id: CheckoutSessionId;
  readonly status: CheckoutSessionStatus;
  readonly paymentStatus: PaymentStatus;
  /** The card that a completed session of mode `setup` has saved. */
  readonly paymentMethodId?: PaymentMethodId;
  readonly lastPaymentError: {
    readonly code: CardErrorCode;
    readonly decline_code: DeclineCode;
    readonly message: string;
  } | null;
};

/** The changes of the payment method that an acquirer's decision causes. */
export type CardChange = {
  /** Never a fixed test name, which has no row. */
  readonly paymentMethodId: PaymentMethodId;
  /**
   * The customer for whom the card is saved if the attempt is approved, the cardholder has consented and the card is
   * not saved yet. Null if the attempt has no customer.
   */
  readonly customerId: CustomerId | null;
  /** True if the issuer has approved the payment or the verification, which shows that the card works. */
  readonly approved: boolean;
  /** The network transaction ID of a payment in which the cardholder took part. It never replaces an earlier one. */
  readonly networkTransactionId: string | null;
  readonly newDetails: NewCardDetails | null;
  /** The time of the decision. */
  readonly decidedAt: Date;
  /** The verification that saves the card. Absent if a payment saves it. */
  readonly verificationId?: VerificationId;
};

/** The response to the request that created the charge or operation. It is stored with the idempotency key. */
export type StoredResponse = ApiResponse & {
  /**
   * True if the body equals the object of the first event. The body is then not stored again, and a replay reads the
   * event.
   */
  readonly isInEvent?: boolean;
};
