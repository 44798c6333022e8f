import type { CheckoutSessionStatus, PaymentStatus } from "@florin/contract/checkout-session.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardErrorCode } from "@florin/contract/errors.ts";
import type {
  ChargeId,
  CheckoutSessionId,
  CustomerId,
  Id,
  PaymentMethodId,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { ApiResponse } from "../../platform/http/route.ts";
import type { NewEvent } from "../../webhooks/events/event.ts";
import type { Entry } from "../ledger/ledger.sql.ts";
import type { ChangeKind, changes, chargeAmounts } from "./changes.ts";
import type { RowOf } from "./columns.ts";

/**
 * A state change of one object, with everything that is written together with it: all of it or nothing. Every part but
 * the change is optional.
 */
export type Transition<Kind extends ChangeKind = ChangeKind> = {
  readonly scope: Scope;
  readonly change: Change<Kind>;
  /** The new amounts of the charge that an operation or a dispute belongs to. The caller holds the charge's lock. */
  readonly charge?: ChargeAmounts | null;
  readonly entries?: readonly Entry[];
  readonly events?: readonly NewEvent[];
  readonly session?: SessionChange | null;
  readonly savedCard?: SavedCard | null;
  readonly response?: StoredResponse | null;
  /** True if a charge may have been written after its place in the search index. A job indexes it then. */
  readonly isLate?: boolean;
};

/** The object after the transition. */
export type Change<Kind extends ChangeKind = ChangeKind> = {
  [Each in Kind]: {
    readonly kind: Each;
    readonly id: Id<string>;
    /** One more than before. Nothing is written unless the stored version is one less. 1 for a new object. */
    readonly version: number;
    readonly row: RowOf<(typeof changes)[Each]["columns"]>;
  };
}[Kind];

export type ChargeAmounts = {
  readonly id: ChargeId;
  readonly version: number;
  readonly row: RowOf<typeof chargeAmounts>;
};

/** The new state of the checkout session that the charge belongs to. */
export type SessionChange = {
  readonly id: CheckoutSessionId;
  readonly status: CheckoutSessionStatus;
  readonly paymentStatus: PaymentStatus;
  readonly lastPaymentError: {
    readonly code: CardErrorCode;
    readonly decline_code: DeclineCode;
    readonly message: string;
  } | null;
};

/** The card that the payment saves for its customer, if the cardholder has agreed to that. */
export type SavedCard = {
  readonly paymentMethodId: PaymentMethodId;
  readonly customerId: CustomerId;
  readonly networkTransactionId: string;
};

/** The response to the request that created the charge or operation, stored for its idempotency key. */
export type StoredResponse = ApiResponse & {
  /** True if the body is the object of the first event. It is then not written twice, and a replay reads the event. */
  readonly isInEvent?: boolean;
};
