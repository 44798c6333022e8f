import type { DisplayStatus } from "@florin/contract/display-status.ts";
import { paymentMethodUuid } from "../../cards/payment-methods/payment-method-id.ts";
import { type ChargeId, type CustomerId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { rowsOf, uuids } from "../../platform/database/array-parameter.ts";
import { type Fragment, fragment, type Sql } from "../../platform/database/sql.ts";
import { isOneOf, meetsOneOf, type Page, pageRows } from "../../platform/http/list.ts";
import { type Conditions, spellingsOf } from "./charge-filter.ts";
import type { IdRange } from "./charge-search.ts";
import { isPaidOutBy } from "./payout-contents.sql.ts";

/**
 * Runs a statement that selects charges. The implementation chooses the columns, which include `id`, and converts the
 * rows.
 */
export type ReadCharges<Result> = (statement: (columns: Fragment) => Fragment) => Promise<Result[]>;

/** Returns a page of charges, in ascending ID order if `page.upwards`, otherwise descending. */
export async function listCharges<Result>(
  read: ReadCharges<Result>,
  scope: Scope,
  conditions: Conditions,
  page: Page,
): Promise<Result[]> {
  return read(
    (columns) => fragment`
    select ${columns}
      from charges
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${holding(scope, conditions)}
       ${pageRows(page)}
  `,
  );
}

/** Returns a page of the charges whose IDs are in the given ranges. */
export async function listChargesIn<Result>(
  read: ReadCharges<Result>,
  scope: Scope,
  ranges: readonly IdRange[],
  conditions: Conditions,
  page: Page,
): Promise<Result[]> {
  const within = rowsOf({
    first_id: uuids(ranges, ({ first }) => first),
    last_id: uuids(ranges, ({ last }) => last),
  });
  // The lateral join reads one range at a time. With a plain join the planner scans all charges and tests each one
  // against every range.
  return read(
    (columns) => fragment`
    select found.*
      from ${within} as range
     cross join lateral (
       select ${columns}
         from charges
        where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
          and id between first_id and last_id
          ${holding(scope, conditions)}
          ${pageRows(page)}
     ) as found
     order by id ${page.upwards ? fragment`asc` : fragment`desc`}
     limit ${page.limit + 1}
  `,
  );
}

/** Counts the charges within the page's bounds, up to `max`. */
export async function countListed(
  read: Sql,
  scope: Scope,
  conditions: Conditions,
  page: Page,
  max: number,
): Promise<number> {
  const [row] = await read<{ count: number }>`
    select count(*)::integer as count
      from (
        select
          from charges
         where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
           ${holding(scope, conditions)}
           ${pageRows({ ...page, limit: max - 1 })}
      ) as found
  `;
  return row?.count ?? 0;
}

/** Counts the charges within the page's bounds whose IDs are in the given ranges, up to `max`. */
export async function countListedIn(
  read: Sql,
  scope: Scope,
  ranges: readonly IdRange[],
  conditions: Conditions,
  page: Page,
  max: number,
): Promise<number> {
  const within = rowsOf({
    first_id: uuids(ranges, ({ first }) => first),
    last_id: uuids(ranges, ({ last }) => last),
  });
  const [row] = await read<{ count: number }>`
    select count(*)::integer as count
      from (
        select
          from ${within} as range
         cross join lateral (
           select
             from charges
            where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
              and id between first_id and last_id
              ${holding(scope, conditions)}
              ${pageRows({ ...page, limit: max - 1 })}
         ) as found
         limit ${max}
      ) as counted
  `;
  return row?.count ?? 0;
}

/** A search by the end of an ID scans this many of the newest charges, because no index contains the ends of IDs. */
const maxScannedCharges = 10_000;

/** Returns the newest charges whose UUID ends with these hexadecimal digits. */
export async function findChargesByIdEnd(
  read: Sql,
  scope: Scope,
  end: string,
  limit: number,
): Promise<ChargeId[]> {
  const rows = await read<{ id: string }>`
    with newest as materialized (
      select id
        from charges
       where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       order by id desc
       limit ${maxScannedCharges}
    )
    select id from newest where right(id::text, ${end.length}) = ${end} order by id desc limit ${limit}
  `;
  return rows.map(({ id }) => idFromUuid("ch", id));
}

function holding(scope: Scope, conditions: Conditions): Fragment {
  const { statuses, displayStatuses, amount, currency, brands, last4, declineCodes, metadata } =
    conditions;
  const { customerId, paymentMethodId, checkoutSessionId, clientReferenceId } = conditions;
  return fragment`
       ${statuses ? fragment`and status = any (${statuses}::text[])` : nothing}
       ${meetsOneOf(displayConditions, displayStatuses && [...displayStatuses])}
       ${amount ? fragment`and amount between ${amount.min} and ${amount.max}` : nothing}
       ${currency ? fragment`and currency = ${currency}` : nothing}
       ${isOneOf(fragment`currency`, conditions.currencies)}
       ${isOneOf(fragment`card->>'brand'`, brands)}
       ${last4 ? fragment`and card->>'last4' = ${last4}` : nothing}
       ${declineCodes ? fragment`and status = 'failed' ${isOneOf(fragment`decline_code`, declineCodes)}` : nothing}
       ${metadata ? fragment`and metadata @> ${JSON.stringify(metadata)}::jsonb` : nothing}
       ${customerId ? fragment`and customer_id = ${uuidOf(customerId)}` : nothing}
       ${paymentMethodId ? fragment`and payment_method_id = ${paymentMethodUuid(paymentMethodId)}` : nothing}
       ${checkoutSessionId ? fragment`and checkout_session_id = ${uuidOf(checkoutSessionId)}` : nothing}
       ${clientReferenceId ? fragment`and client_reference_id = ${clientReferenceId}` : nothing}
       ${conditions.email ? ofPayer(conditions.email, conditions.customersOfEmail) : nothing}
       ${conditions.refunded === undefined ? nothing : isFullyRefunded(conditions.refunded)}
       ${conditions.disputed === undefined ? nothing : isDisputed(conditions.disputed)}
       ${conditions.payout ? isPaidOutBy(scope, conditions.payout) : nothing}
       ${conditions.inReview === undefined ? nothing : isInReview(conditions.inReview)}
  `;
}

const nothing = fragment``;

/**
 * The condition of each status that the dashboard shows. A charge matches exactly one. A condition for which a partial
 * index exists begins with the predicate of that index.
 */
const displayConditions: Readonly<Record<DisplayStatus, Fragment>> = {
  disputed: fragment`amount_disputed > 0`,
  refunded: fragment`amount_refunded > 0 and amount_refunded = amount_captured and amount_disputed = 0`,
  partially_refunded: fragment`amount_refunded > 0 and amount_refunded < amount_captured and amount_disputed = 0`,
  succeeded: fragment`status = 'succeeded' and amount_refunded = 0 and amount_disputed = 0`,
  being_canceled: fragment`status = 'processing' and reversal_pending`,
  processing: fragment`status = 'processing' and not reversal_pending`,
  in_review: fragment`decision_outcome = 'review' and status = 'authorized' and review is null`,
  authorized: fragment`status = 'authorized' and (decision_outcome <> 'review' or review is not null)`,
  requires_action: fragment`status = 'requires_action'`,
  failed: fragment`status = 'failed'`,
  canceled: fragment`status = 'canceled'`,
};

/** Matches the email address that was sent with the payment, or the customer's current email address. */
function ofPayer(email: string, customers: readonly CustomerId[]): Fragment {
  return fragment`
       and (lower(decision_details->>'email') = any (${spellingsOf(email)}::text[]) or customer_id = any (${customers.map(uuidOf)}::uuid[]))`;
}

/**
 * If `expected`, the first condition is the predicate of the partial index `charges_refunded`, so that the planner can
 * use the index.
 */
function isFullyRefunded(expected: boolean): Fragment {
  return expected
    ? fragment`and amount_refunded > 0 and amount_refunded = amount_captured`
    : fragment`and (amount_refunded = 0 or amount_refunded < amount_captured)`;
}

function isInReview(expected: boolean): Fragment {
  return expected
    ? fragment`and decision_outcome = 'review' and status = 'authorized' and review is null`
    : fragment`and (decision_outcome <> 'review' or status <> 'authorized' or review is not null)`;
}

function isDisputed(expected: boolean): Fragment {
  return expected ? fragment`and amount_disputed > 0` : fragment`and amount_disputed = 0`;
}
