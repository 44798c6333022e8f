import { type Fragment, fragment } from "../../platform/database/sql.ts";
import type { Columns } from "./columns.ts";

/**
 * The SQL fragments for one kind of change. In them, `t` is the row before the change, `i` is the input row, and `x` is
 * the row after the change.
 */
type ChangeSpec = {
  readonly table: Fragment;
  readonly writes: "insert" | "update";
  readonly columns: Columns;
  /**
   * The columns that are null for most objects. A batch sends no array for a sparse column that is null in all of its
   * objects.
   */
  readonly sparse?: readonly string[];
  /** The columns of an update that keep their value if the new one is null. Each must also be sparse. */
  readonly kept?: readonly string[];
  /** A condition of the compare-and-set, in addition to the version. */
  readonly condition?: Fragment;
  /** Assignments of an update, in addition to `columns`. */
  readonly alsoSets?: Fragment;
  /** True for a session `s` whose current attempt is the object, or the charge that the object belongs to. */
  readonly ofSession?: Fragment;
  /** The column of `idempotency_keys` that refers to the object. */
  readonly namedBy?: Fragment;
  /** True if an insert that violates a unique constraint is skipped. Otherwise the statement fails. */
  readonly isSkippedIfExists?: boolean;
};

const charges = fragment`charges`;
const operations = fragment`operations`;
const disputes = fragment`disputes`;
const payouts = fragment`payouts`;

/** Every kind of change, with the table and the columns that it writes. */
export const changes = {
  /**
   * The state of a charge after an acquirer response, an authentication step, a block, or a cancellation before
   * authorization.
   */
  chargeOutcome: {
    table: charges,
    writes: "update",
    columns: {
      status: "text",
      pending_reason: "text",
      reversal_pending: "boolean",
      amount_captured: "bigint",
      capture_before: "timestamptz",
      checks: "jsonb",
      acquirer_reference: "text",
      acquirer_details: "jsonb",
      card: "jsonb",
      three_d_secure: "jsonb",
      failure_code: "text",
      decline_code: "text",
      network_decline_code: "text",
      failure_unconfirmed: "boolean",
      inquiries: "smallint",
      inquiry_restarts: "smallint",
      due_at: "timestamptz",
      finalized_at: "timestamptz",
    },
    sparse: ["acquirer_reference", "acquirer_details", "three_d_secure", "card"],
    // The card changes only if the charge was paid with a wallet's token and the acquirer reports the token's card.
    kept: ["card"],
    condition: fragment`and t.status in ('processing', 'requires_action')`,
    // Releases the claim of a charge that stays pending, so that the job can claim it at `due_at`.
    alsoSets: fragment`, claimed_by = case when i.pending_reason is null then t.claimed_by else 0 end`,
    ofSession: fragment`s.charge_id = x.id`,
    namedBy: fragment`charge_id`,
  },
  /**
   * Another assignment for a charge that has not been authorized, recorded before the charge is sent over the
   * assignment's connection.
   */
  chargeAssignment: {
    table: charges,
    writes: "update",
    columns: { processor: "text", assignment_id: "uuid", due_at: "timestamptz" },
    condition: fragment`and t.status = 'processing' and t.pending_reason is null`,
  },
  /**
   * The late failure of a capture. A charge with refunds or disputes is never changed to `failed`, because the same
   * amount would leave the merchant's balance twice.
   */
  captureFailure: {
    table: charges,
    writes: "update",
    columns: {
      status: "text",
      amount_captured: "bigint",
      failure_code: "text",
      decline_code: "text",
      failure_entry_id: "uuid",
    },
    condition: fragment`and t.status = 'succeeded' and t.amount_refunded = 0 and t.amount_disputed = 0`,
    ofSession: fragment`s.charge_id = x.id`,
  },
  /** The state of a card verification after an acquirer response, an authentication step or a block. */
  verificationOutcome: {
    table: fragment`card_verifications`,
    writes: "update",
    columns: {
      status: "text",
      checks: "jsonb",
      acquirer_reference: "text",
      three_d_secure: "jsonb",
      failure_code: "text",
      decline_code: "text",
      network_decline_code: "text",
      due_at: "timestamptz",
      finalized_at: "timestamptz",
    },
    condition: fragment`and t.status in ('processing', 'requires_action')`,
    ofSession: fragment`s.verification_id = x.id`,
  },
  /** The fields of a charge that a merchant may update. */
  chargeDetails: {
    table: charges,
    writes: "update",
    columns: { description: "text", metadata: "jsonb" },
  },
  /** A capture, void or refund, inserted before the request to the acquirer. */
  newOperation: {
    table: operations,
    writes: "insert",
    columns: {
      charge_id: "uuid",
      kind: "text",
      status: "text",
      amount: "bigint",
      currency: "text",
      reason: "text",
      metadata: "jsonb",
      request_id: "uuid",
      idempotency_key: "text",
      requested_by: "uuid",
      claimed_by: "integer",
      due_at: "timestamptz",
    },
    ofSession: fragment`s.charge_id = x.charge_id`,
    namedBy: fragment`operation_id`,
  },
  operationOutcome: {
    table: operations,
    writes: "update",
    columns: {
      status: "text",
      pending_reason: "text",
      failure_code: "text",
      failure_entry_id: "uuid",
      acquirer_reference: "text",
      inquiries: "smallint",
      due_at: "timestamptz",
      finalized_at: "timestamptz",
    },
    sparse: ["acquirer_reference"],
    alsoSets: fragment`, claimed_by = 0`,
    ofSession: fragment`s.charge_id = x.charge_id`,
    namedBy: fragment`operation_id`,
  },
  newDispute: {
    table: disputes,
    writes: "insert",
    columns: {
      charge_id: "uuid",
      network_case: "uuid",
      acquirer_reference: "text",
      status: "text",
      amount: "bigint",
      currency: "text",
      reason: "text",
      is_inquiry: "boolean",
      evidence_due_at: "timestamptz",
      due_at: "timestamptz",
      closed_at: "timestamptz",
    },
  },
  disputeStep: {
    table: disputes,
    writes: "update",
    columns: {
      status: "text",
      amount: "bigint",
      reason: "text",
      is_inquiry: "boolean",
      evidence: "jsonb",
      evidence_due_at: "timestamptz",
      response_due_at: "timestamptz",
      response_attempts: "integer",
      response_problem: "text",
      reversal_entry_id: "uuid",
      due_at: "timestamptz",
      closed_at: "timestamptz",
    },
  },
  /** Every server inserts the scheduled payouts of a day, and only the first insert succeeds. */
  newPayout: {
    table: payouts,
    writes: "insert",
    isSkippedIfExists: true,
    columns: {
      status: "text",
      amount: "bigint",
      currency: "text",
      day: "date",
      part: "smallint",
      captured_before: "timestamptz",
      description: "text",
      metadata: "jsonb",
      arrives_at: "timestamptz",
      due_at: "timestamptz",
    },
  },
  /** An account's share of a settled batch. If two servers post the same share, only the first insert succeeds. */
  newSettlement: {
    table: fragment`settlements`,
    writes: "insert",
    isSkippedIfExists: true,
    columns: {
      connection_id: "uuid",
      merchant_account: "text",
      batch: "text",
      currency: "text",
      part: "smallint",
      settled: "bigint",
      fees: "bigint",
      converted: "bigint",
      net: "bigint",
      paid: "bigint",
      fee_entry_id: "uuid",
      conversion_entry_id: "uuid",
    },
  },
  payoutOutcome: {
    table: payouts,
    writes: "update",
    columns: {
      status: "text",
      arrives_at: "timestamptz",
      failure_code: "text",
      failure_entry_id: "uuid",
      due_at: "timestamptz",
    },
  },
  /**
   * The expiry of a session without a payment in progress. A payment changes its session within the charge's
   * transition.
   */
  sessionExpiry: {
    table: fragment`checkout_sessions`,
    writes: "update",
    columns: { status: "text" },
    condition: fragment`and t.status = 'open'`,
  },
} as const satisfies Readonly<Record<string, ChangeSpec>>;

/** The columns of a charge that operations and disputes change. */
export const chargeAmounts = {
  status: "text",
  pending_reason: "text",
  amount_captured: "bigint",
  amount_refunded: "bigint",
  amount_disputed: "bigint",
  finalized_at: "timestamptz",
} as const satisfies Columns;

export type ChangeKind = keyof typeof changes;

/** Returns the SQL fragments of a kind of change. The return type is the same for every kind. */
export const specOf = (kind: ChangeKind): ChangeSpec => changes[kind];
