import type { ThreeDSecure } from "@florin/contract/charge.ts";
import type { DecisionOutcome, ReviewStatus } from "@florin/contract/decision.ts";
import { fragment, type Sql, type Tx } from "../database/sql.ts";
import { type Page, pageRows } from "../http/list.ts";
import {
  paymentMethodIdFromUuid,
  paymentMethodUuid,
} from "../payment-methods/payment-method-id.ts";
import {
  type CustomerId,
  type DecisionId,
  idFromNullableUuid,
  idFromUuid,
  type PaymentMethodId,
  uuidOf,
  uuidOfNullable,
} from "../primitives/ids.ts";
import type { Currency } from "../primitives/money.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Decision } from "./decision.ts";
import type { DecisionFacts } from "./signals.ts";

export async function insertDecision(tx: Tx, decision: Decision): Promise<void> {
  const { owner, price } = decision;
  await tx`
    insert into decisions (
      account_id, livemode, id, amount, currency, payment_method_id, customer_id, ip, email, metadata, outcome,
      risk_score, reasons, authenticate, facts, review
    ) values (
      ${uuidOf(owner.account)}, ${owner.livemode}, ${uuidOf(decision.id)}, ${price.amountMinor}, ${price.currency},
      ${paymentMethodUuid(decision.paymentMethodId)}, ${uuidOfNullable(decision.customerId)}, ${decision.ip},
      ${decision.email}, ${JSON.stringify(decision.metadata)}, ${decision.outcome}, ${decision.score},
      ${decision.reasons}, ${decision.authenticate}, ${decision.facts && JSON.stringify(decision.facts)},
      ${decision.review}
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
  facts: DecisionFacts | null;
  review: ReviewStatus | null;
  charge_id: string | null;
  three_d_secure: ThreeDSecure | null;
};

/**
 * Decisions that were asked for, with the charges that used them, and the ones that the service made of its own:
 * those stand on their charge, under its uuid, and were used by it in the same moment.
 */
const decisions = fragment`
  (
    select d.account_id, d.livemode, d.id, d.amount, d.currency, d.payment_method_id, d.customer_id, d.ip, d.email,
           d.metadata, d.outcome, d.risk_score, d.reasons, d.authenticate, d.facts, d.review, c.id as charge_id, c.three_d_secure
      from decisions d
      left join charges c
        on c.account_id = d.account_id and c.livemode = d.livemode and c.decision_id = d.id
    union all
    select account_id, livemode, id, amount, currency, payment_method_id, customer_id, decision_facts->>'ip',
           decision_facts->>'email', '{}'::jsonb, decision_outcome, risk_score, decision_reasons,
           decision_outcome = 'challenge' or three_d_secure is not null, decision_facts,
           -- A hold that the merchant took or let go by hand was judged by that.
           case when decision_outcome <> 'review' then null
                when review is not null then review
                when status = 'authorized' then 'open'
                when status = 'succeeded' then 'approved'
                when status = 'canceled' then 'declined'
           end,
           id, three_d_secure
      from charges
     where decision_id is null
  )
`;

export async function readDecision(
  read: Sql,
  owner: Owner,
  id: DecisionId,
): Promise<Decision | null> {
  const [row] = await read<DecisionRow>`
    select *
      from ${decisions} as d
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toDecision(row) : null;
}

export type DecisionFilter = {
  readonly paymentMethodId?: PaymentMethodId | undefined;
  readonly customerId?: CustomerId | undefined;
  readonly outcome?: DecisionOutcome | undefined;
  readonly review?: ReviewStatus | undefined;
};

export async function listDecisions(
  read: Sql,
  owner: Owner,
  filter: DecisionFilter,
  page: Page,
): Promise<Decision[]> {
  const rows = await read<DecisionRow>`
    select *
      from ${decisions} as d
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode}
       ${
         filter.paymentMethodId
           ? fragment`and payment_method_id = ${paymentMethodUuid(filter.paymentMethodId)}`
           : fragment``
       }
       ${filter.outcome ? fragment`and outcome = ${filter.outcome}` : fragment``}
       ${filter.review ? fragment`and outcome = 'review' and review = ${filter.review}` : fragment``}
       ${filter.customerId ? fragment`and customer_id = ${uuidOf(filter.customerId)}` : fragment``}
       ${pageRows(page)}
  `;
  return rows.map(toDecision);
}

function toDecision(row: DecisionRow): Decision {
  return {
    id: idFromUuid("dec", row.id),
    owner: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
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
    facts: row.facts,
    review: row.review,
    chargeId: idFromNullableUuid("ch", row.charge_id),
    threeDSecure: row.three_d_secure,
  };
}

/** Closes the review of a decision that no charge has used. Answers whether it was open. */
export async function closeReview(
  tx: Tx,
  owner: Owner,
  id: DecisionId,
  review: "approved" | "declined",
): Promise<boolean> {
  const rows = await tx`
    update decisions
       set review = ${review}
     where account_id = ${uuidOf(owner.account)} and livemode = ${owner.livemode} and id = ${uuidOf(id)}
       and review = 'open'
    returning id
  `;
  return rows.length === 1;
}
