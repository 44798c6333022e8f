import type { ThreeDSecure } from "@florin/contract/charge.ts";
import {
  type DecisionOutcome,
  decisionLifetimeSeconds,
  type ReviewStatus,
} from "@florin/contract/decision.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import {
  paymentMethodIdFromUuid,
  paymentMethodUuid,
} from "../cards/payment-methods/payment-method-id.ts";
import {
  type CustomerId,
  type DecisionId,
  idFromNullableUuid,
  idFromUuid,
  type PaymentMethodId,
  uuidOf,
  uuidOfNullable,
} from "../core/ids.ts";
import type { Currency } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../platform/database/sql.ts";
import { isOneOf, meetsOneOf, type Page, pageRows, valuesOf } from "../platform/http/list.ts";
import type { Decision } from "./decision.ts";
import type { DecisionDetails } from "./signals.ts";

export async function insertDecision(tx: Tx, decision: Decision): Promise<void> {
  const { scope, price } = decision;
  await tx`
    insert into decisions (
      account_id, livemode, id, amount, currency, payment_method_id, customer_id, ip, email, metadata, outcome,
      risk_score, reasons, authenticate, details, review, expires_at
    ) values (
      ${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(decision.id)}, ${price.amountMinor}, ${price.currency},
      ${paymentMethodUuid(decision.paymentMethodId)}, ${uuidOfNullable(decision.customerId)}, ${decision.ip},
      ${decision.email}, ${JSON.stringify(decision.metadata)}, ${decision.outcome}, ${decision.score},
      ${decision.reasons}, ${decision.authenticate}, ${decision.details && JSON.stringify(decision.details)},
      ${decision.review}, ${decision.expiresAt}
    )
  `;
}

type DecisionRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  amount: number;
  currency: Currency;
  payment_method_id: string;
  customer_id: string | null;
  ip: string | null;
  email: string | null;
  metadata: Record<string, string>;
  outcome: DecisionOutcome;
  risk_score: number;
  reasons: string[];
  authenticate: boolean;
  details: DecisionDetails | null;
  review: ReviewStatus | null;
  charge_id: string | null;
  charge_version: number | null;
  three_d_secure: ThreeDSecure | null;
  expires_at: Date;
  superseded: boolean;
};

/**
 * True if the merchant requested another decision on the same payment while this one was usable. Never true for a
 * decision that a person approved, or for a decision on a fixed test method without a customer, because all test
 * payments share these methods.
 */
const superseded = fragment`
  (d.review is distinct from 'approved'
   and (d.customer_id is not null or d.payment_method_id >= '01000000-0000-0000-0000-000000000000')
   and exists (
     select from decisions n
      where n.account_id = d.account_id and n.livemode = d.livemode and n.payment_method_id = d.payment_method_id
        and n.id > d.id and n.expires_at < d.expires_at + make_interval(secs => ${decisionLifetimeSeconds})
        and n.amount = d.amount and n.currency = d.currency and n.customer_id is not distinct from d.customer_id
   ))`;

/** Columns of a decision that the merchant requested, and of the charge that used it. */
const requestedColumns = fragment`
  d.account_id, d.livemode, d.id, d.amount, d.currency, d.payment_method_id, d.customer_id, d.ip, d.email, d.metadata,
  d.outcome, d.risk_score, d.reasons, d.authenticate, d.details, d.review, c.id as charge_id,
  c.version as charge_version, c.three_d_secure, d.expires_at,
  ${superseded} as superseded
`;

const withItsCharge = fragment`
  left join charges c on c.account_id = d.account_id and c.livemode = d.livemode and c.decision_id = d.id
`;

/**
 * The columns of a decision that the service made during a charge. The decision is stored in the charge's row and has
 * the charge's UUID.
 */
const ownColumns = fragment`
  account_id, livemode, id, amount, currency, payment_method_id, customer_id, decision_details->>'ip',
  decision_details->>'email', '{}'::jsonb, decision_outcome, risk_score, decision_reasons,
  decision_outcome = 'challenge' or three_d_secure is not null, decision_details,
  -- A manual capture or cancellation of the hold counts as the review.
  case when decision_outcome <> 'review' then null
       when review is not null then review
       when status = 'authorized' then 'open'
       when status = 'succeeded' then 'approved'
       when status = 'canceled' then 'declined'
  end,
  id, version, three_d_secure, created_at(id) + make_interval(secs => ${decisionLifetimeSeconds}), false
`;

export async function readDecision(
  read: Sql,
  scope: Scope,
  id: DecisionId,
): Promise<Decision | null> {
  const account = uuidOf(scope.account);
  const [row] = await read<DecisionRow>`
    select ${requestedColumns}
      from decisions d ${withItsCharge}
     where d.account_id = ${account} and d.livemode = ${scope.livemode} and d.id = ${uuidOf(id)}
     union all
    select ${ownColumns}
      from charges
     where account_id = ${account} and livemode = ${scope.livemode} and id = ${uuidOf(id)} and decision_id is null
  `;
  return row ? toDecision(row) : null;
}

export type DecisionFilter = {
  readonly paymentMethodId?: PaymentMethodId | undefined;
  readonly customerId?: CustomerId | undefined;
  readonly outcome?: OneOrMore<DecisionOutcome> | undefined;
  readonly review?: OneOrMore<ReviewStatus> | undefined;
};

/**
 * Returns the decisions that merchants requested and those that the service made during charges. Each of the two
 * queries is limited to the page before the union, so that no page reads the whole history.
 */
export async function listDecisions(
  read: Sql,
  scope: Scope,
  filter: DecisionFilter,
  page: Page,
): Promise<Decision[]> {
  const { paymentMethodId, customerId, outcome, review } = filter;
  const nothing = fragment``;
  const common = fragment`
    account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
    ${paymentMethodId ? fragment`and payment_method_id = ${paymentMethodUuid(paymentMethodId)}` : nothing}
    ${customerId ? fragment`and customer_id = ${uuidOf(customerId)}` : nothing}
  `;
  const rows = await read<DecisionRow>`
    select *
      from (
        select ${requestedColumns}
          from (
            select *
              from decisions
             where ${common}
               ${isOneOf(fragment`outcome`, outcome)}
               ${isRare(outcome) ? fragment`and outcome <> 'approve'` : nothing}
               ${review ? fragment`and outcome = 'review' ${isOneOf(fragment`review`, review)}` : nothing}
               ${pageRows(page)}
          ) d ${withItsCharge}
         union all
        (
          select ${ownColumns}
            from charges
           where ${common} and decision_id is null
             ${isOneOf(fragment`decision_outcome`, outcome)}
             ${isRare(outcome) ? fragment`and decision_outcome <> 'approve'` : nothing}
             ${meetsOneOf(ownReview, review)}
             ${pageRows(page)}
        )
      ) both_kinds
     where true
       ${pageRows(page)}
  `;
  return rows.map(toDecision);
}

/**
 * Reports whether the filter excludes approvals. The query then repeats the partial index's condition, because the
 * planner cannot match a parameter to it.
 */
function isRare(outcome: OneOrMore<DecisionOutcome> | undefined): boolean {
  return outcome !== undefined && !valuesOf(outcome).includes("approve");
}

/**
 * The condition of each review status, for decisions that the service made during a charge. The condition of `open` is
 * that of the partial index `charges_in_review`.
 */
const ownReview: Readonly<Record<ReviewStatus, Fragment>> = {
  open: fragment`decision_outcome = 'review' and status = 'authorized' and review is null`,
  approved: fragment`decision_outcome = 'review' and (review = 'approved' or (review is null and status = 'succeeded'))`,
  declined: fragment`decision_outcome = 'review' and (review = 'declined' or (review is null and status = 'canceled'))`,
};

function toDecision(row: DecisionRow): Decision {
  return {
    id: idFromUuid("dec", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    price: { amountMinor: row.amount, currency: row.currency },
    paymentMethodId: paymentMethodIdFromUuid(row.payment_method_id),
    customerId: idFromNullableUuid("cus", row.customer_id),
    ip: row.ip,
    email: row.email,
    metadata: row.metadata,
    outcome: row.outcome,
    score: row.risk_score,
    reasons: row.reasons,
    authenticate: row.authenticate,
    details: row.details,
    review: row.review,
    chargeId: idFromNullableUuid("ch", row.charge_id),
    chargeVersion: row.charge_version ?? 0,
    threeDSecure: row.three_d_secure,
    expiresAt: row.expires_at,
    superseded: row.superseded,
  };
}

/** Closes the review of a decision that no charge has used. Returns whether it was open. */
export async function closeReview(
  tx: Tx,
  scope: Scope,
  id: DecisionId,
  review: "approved" | "declined",
): Promise<boolean> {
  const rows = await tx`
    update decisions
       set review = ${review}
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
       and review = 'open'
    returning id
  `;
  return rows.length === 1;
}
