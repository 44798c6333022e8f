import type { CaptureMethod, ChargeStatus, PendingReason } from "@florin/contract/charge.ts";
import type { DecisionOutcome } from "@florin/contract/decision.ts";
import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardErrorCode } from "@florin/contract/errors.ts";
import type { CardChecks } from "../../acquiring/outcome.ts";
import { paymentMethodIdFromUuid } from "../../cards/payment-methods/payment-method-id.ts";
import { idFromUuid, uuidOf } from "../../core/ids.ts";
import { compactJson } from "../../core/json-text.ts";
import type { Scope } from "../../core/scope.ts";
import { columnsOf } from "../../platform/database/row-columns.ts";
import type { RowText } from "../../platform/database/row-text.ts";
import { fragment, type RowSql } from "../../platform/database/sql.ts";
import type { Links } from "../sessions/client-urls.ts";
import type { ReadCharges } from "./charge-list.sql.ts";
import { type ChargeFields, checksText, renderCharge } from "./charge-text.ts";

const { list, at } = columnsOf({
  id: fragment`id`,
  status: fragment`status`,
  pendingReason: fragment`pending_reason`,
  reversalPending: fragment`reversal_pending`,
  version: fragment`version`,
  amount: fragment`amount`,
  captured: fragment`amount_captured`,
  refunded: fragment`amount_refunded`,
  disputed: fragment`amount_disputed`,
  currency: fragment`currency`,
  captureMethod: fragment`capture_method`,
  captureBefore: fragment`floor(extract(epoch from capture_before))::bigint`,
  paymentMethod: fragment`payment_method_id`,
  card: fragment`card`,
  checks: fragment`checks`,
  threeDSecure: fragment`three_d_secure`,
  customer: fragment`customer_id`,
  session: fragment`checkout_session_id`,
  decision: fragment`decision_id`,
  decisionOutcome: fragment`decision_outcome`,
  riskScore: fragment`risk_score`,
  reasons: fragment`case when decision_reasons <> '{}' then to_json(decision_reasons) end as reasons`,
  matchedRules: fragment`decision_details->'matched_rules' as matched_rules`,
  clientReference: fragment`client_reference_id`,
  description: fragment`description`,
  statementDescriptor: fragment`statement_descriptor`,
  offSession: fragment`off_session`,
  returnUrl: fragment`return_url`,
  metadata: fragment`metadata`,
  failureCode: fragment`failure_code`,
  declineCode: fragment`decline_code`,
  networkDeclineCode: fragment`network_decline_code`,
  failureEntry: fragment`failure_entry_id`,
});

/** Reads charges as API objects in JSON, which equal those that `chargeText` renders. */
export function renderedCharges(
  readRows: RowSql,
  scope: Scope,
  links: Links | null,
): ReadCharges<string> {
  const read = readRows((row) => renderCharge(fieldsOf(row, scope), links));
  return (statement) => read`${statement(list)}`;
}

/** A charge as an API object in JSON, and the columns by which a cache finds it. */
export type RenderedCharge = {
  readonly uuid: string;
  readonly version: string;
  readonly status: ChargeStatus;
  readonly text: string;
};

/** Reads the charges with these UUIDs, in no particular order. */
export function readRenderedCharges(
  readRows: RowSql,
  scope: Scope,
  links: Links | null,
  uuids: readonly string[],
): Promise<RenderedCharge[]> {
  const read = readRows((row) => ({
    uuid: row.ascii(at.id),
    version: row.ascii(at.version),
    status: row.ascii(at.status) as ChargeStatus,
    text: renderCharge(fieldsOf(row, scope), links),
  }));
  return read`
    select ${list}
      from charges
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and id = any (${uuids}::uuid[])
  `;
}

function fieldsOf(row: RowText, scope: Scope): ChargeFields {
  const id = idFromUuid("ch", row.ascii(at.id));
  return {
    id,
    scope,
    version: row.integer(at.version),
    status: row.ascii(at.status) as ChargeStatus,
    pendingReason: row.asciiOrNull(at.pendingReason) as PendingReason | null,
    reversalPending: row.boolean(at.reversalPending),
    amountMinor: row.integer(at.amount),
    capturedMinor: row.integer(at.captured),
    refundedMinor: row.integer(at.refunded),
    disputedMinor: row.integer(at.disputed),
    currency: row.ascii(at.currency),
    captureMethod: row.ascii(at.captureMethod) as CaptureMethod,
    captureBefore: row.isNull(at.captureBefore) ? null : row.integer(at.captureBefore),
    customerId: idOrNull("cus", row, at.customer),
    paymentMethodId: paymentMethodIdFromUuid(row.ascii(at.paymentMethod)),
    cardJson: compactJson(row.text(at.card)),
    checksJson: row.isNull(at.checks) ? null : checksOf(row.ascii(at.checks)),
    threeDSecureJson: jsonOr("null", row, at.threeDSecure),
    decisionId: idOrNull("dec", row, at.decision),
    checkoutSessionId: idOrNull("cs", row, at.session),
    clientReferenceId: row.textOrNull(at.clientReference),
    description: row.textOrNull(at.description),
    statementDescriptor: row.textOrNull(at.statementDescriptor),
    offSession: row.boolean(at.offSession),
    returnUrl: row.textOrNull(at.returnUrl),
    metadataJson: compactJson(row.text(at.metadata)),
    failureCode: row.asciiOrNull(at.failureCode) as CardErrorCode | null,
    declineCode: row.asciiOrNull(at.declineCode) as DeclineCode | null,
    networkDeclineCode: row.textOrNull(at.networkDeclineCode),
    failureEntry: idOrNull("txn", row, at.failureEntry),
    decisionOutcome: row.ascii(at.decisionOutcome) as DecisionOutcome,
    riskScore: row.integer(at.riskScore),
    reasonsJson: row.isNull(at.reasons) ? "[]" : row.text(at.reasons),
    matchedRulesJson: jsonOr("[]", row, at.matchedRules),
  };
}

function idOrNull<Prefix extends string>(prefix: Prefix, row: RowText, column: number) {
  return row.isNull(column) ? null : idFromUuid(prefix, row.ascii(column));
}

function jsonOr(absent: string, row: RowText, column: number): string {
  return row.isNull(column) ? absent : compactJson(row.text(column));
}

/**
 * Caches the JSON of card checks as the API shows it, keyed by the stored JSON. The cache stays small, because there
 * are few combinations of results.
 */
const knownChecks = new Map<string, string>();

function checksOf(stored: string): string {
  let text = knownChecks.get(stored);
  if (text === undefined) {
    text = checksText(JSON.parse(stored) as CardChecks);
    knownChecks.set(stored, text);
  }
  return text;
}
