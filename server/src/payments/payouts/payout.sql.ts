import type { PayoutStatus } from "@florin/contract/balance.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import type { Clock } from "../../core/clock.ts";
import {
  type AccountId,
  type ChargeId,
  idFromNullableUuid,
  idFromUuid,
  type PayoutId,
  uuidOf,
} from "../../core/ids.ts";
import type { Currency } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { isOneOf, type Page, pageRows, valuesOf } from "../../platform/http/list.ts";
import { type Claim, claimDue } from "../../platform/jobs/claim-due.sql.ts";
import { duePayouts } from "../commit/due-work.sql.ts";
import type { Change } from "../commit/transition.ts";
import type { Payout } from "./payout.ts";

/**
 * Serializes the creation of payouts in one mode of the account with each other, and with the start of an advance of
 * the test clock. The lock ends with the transaction. It covers one mode only, in contrast to the lock on the account's
 * row. The creation of payouts also acquires that lock, because processes of an earlier version acquire no other.
 */
export async function lockPayouts(tx: Tx, scope: Scope): Promise<void> {
  await tx`select pg_advisory_xact_lock(${lockSpace}, ${lockKey(scope)})`;
}

/** Acquires the lock of `lockPayouts` without waiting. Returns whether it was acquired. */
export async function tryLockPayouts(tx: Tx, scope: Scope): Promise<boolean> {
  const rows = await tx<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${lockSpace}, ${lockKey(scope)}) as locked`;
  return rows.some(({ locked }) => locked);
}

/** The first key of the lock, the characters "pout". It must differ from the lock spaces of other locks. */
const lockSpace = 0x706f7574;

function lockKey({ account, livemode }: Scope): Fragment {
  return fragment`hashtext(${`${account} ${livemode}`})`;
}

/**
 * Returns the change that inserts a payout. The insert is skipped if a scheduled payout already exists for this day,
 * currency and part.
 */
export function newPayout(payout: Payout, dueAt: Date | null): Change<"newPayout"> {
  const { id, version, status, price, day, part, capturedBefore } = payout;
  const { description, metadata, arrivesAt } = payout;
  const { amountMinor: amount, currency } = price;
  return {
    kind: "newPayout",
    id,
    version,
    row: {
      status,
      amount,
      currency,
      day,
      part,
      captured_before: capturedBefore,
      description,
      metadata,
      arrives_at: arrivesAt,
      due_at: dueAt,
    },
  };
}

/** Returns the change that writes a payout's new state. */
export function payoutOutcome(payout: Payout): Change<"payoutOutcome"> {
  const { id, version, status, arrivesAt, failureEntry } = payout;
  return {
    kind: "payoutOutcome",
    id,
    version,
    row: {
      status,
      arrives_at: arrivesAt,
      failure_code: failureEntry && "account_closed",
      failure_entry_id: failureEntry,
      due_at: status === "in_transit" ? arrivesAt : null,
    },
  };
}

const payoutColumns = fragment`
  account_id, livemode, id, status, version, amount, currency, day::text as day, part, captured_before, description, metadata,
  arrives_at, failure_entry_id
`;

export async function readPayout(read: Sql, scope: Scope, id: PayoutId): Promise<Payout | null> {
  const [row] = await read<PayoutRow>`
    select ${payoutColumns}
      from payouts
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id = ${uuidOf(id)}
  `;
  return row ? toPayout(row) : null;
}

export type PayoutFilter = {
  readonly status?: OneOrMore<PayoutStatus> | undefined;
  /** The charge that the payout contains (`PayoutContents` in `charges/payout-contents.sql.ts`). */
  readonly charge?: ChargeId | undefined;
};

export async function listPayouts(
  read: Sql,
  scope: Scope,
  filter: PayoutFilter,
  page: Page,
): Promise<Payout[]> {
  const rows = await read<PayoutRow>`
    select ${payoutColumns}
      from payouts
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       ${isOneOf(fragment`status`, filter.status)}
       ${filter.status && !valuesOf(filter.status).includes("paid") ? isRare : fragment``}
       ${filter.charge ? ofCharge(scope, filter.charge) : fragment``}
       ${pageRows(page)}
  `;
  return rows.map(toPayout);
}

/** A literal instead of a parameter, so that the planner can use the index `payouts_by_rare_status`. */
const isRare = fragment`and status <> 'paid'`;

/**
 * Matches the payouts of the batches in which the acquirer settled the charge, and the parts of the first scheduled
 * payout for which the charge was available.
 */
function ofCharge({ account, livemode }: Scope, charge: ChargeId): Fragment {
  const own = fragment`account_id = ${uuidOf(account)} and livemode = ${livemode}`;
  return fragment`
       and id in (
         select s.id
           from settlement_report_lines l
           join settlements s using (account_id, connection_id, merchant_account, batch)
          where l.account_id = ${uuidOf(account)} and s.livemode = ${livemode} and l.charge_id = ${uuidOf(charge)}
            and l.releases and s.currency = l.net_currency
          union all
         select p.id
           from charges c
          cross join lateral (
            select day, currency
              from payouts
             where ${own} and currency = c.currency and day is not null and captured_before > c.finalized_at
             order by id
             limit 1
          ) as first
           join payouts p
             on p.account_id = c.account_id and p.livemode = c.livemode and p.currency = first.currency and p.day = first.day
          where c.account_id = ${uuidOf(account)} and c.livemode = ${livemode} and c.id = ${uuidOf(charge)}
            and c.status = 'succeeded'
       )`;
}

/** Claims payouts for which a call to the bank is due. */
export async function claimDuePayouts(
  deps: { readonly database: Database; readonly clock: Clock },
  claim: Omit<Claim, "columns">,
): Promise<Payout[]> {
  const rows = await claimDue<PayoutRow>(deps, duePayouts, { ...claim, columns: payoutColumns });
  return rows.map(toPayout);
}

/**
 * True for the settings `s` of a test mode with a daily payout schedule and without an automatic payout for the day.
 */
const awaitsPayoutOf = (day: string) => fragment`
  s.payout_schedule = 'daily' and not s.livemode
  and not exists (
    select from payouts p where p.account_id = s.account_id and p.livemode = s.livemode and p.day = ${day}
  )
`;

/**
 * Returns the test-mode scopes with a daily payout schedule and no payout for this day, in the order of their accounts
 * and starting after `after`. In live mode the acquirers pay the merchants.
 */
export async function listScheduled(
  read: Sql,
  day: string,
  { after, limit }: { readonly after: AccountId | null; readonly limit: number },
): Promise<Scope[]> {
  const rows = await read<{ id: string; livemode: boolean }>`
    select a.id, s.livemode
      from account_settings s
      join accounts a on a.id = s.account_id
     where ${awaitsPayoutOf(day)}
       ${after === null ? fragment`` : fragment`and a.id > ${uuidOf(after)}`}
     order by a.id
     limit ${limit}
  `;
  return rows.map(({ id, livemode }) => ({ account: idFromUuid("acct", id), livemode }));
}

/** Returns whether the merchant has a daily payout schedule in test mode and no automatic payout for this day. */
export async function isScheduled(read: Sql, account: AccountId, day: string): Promise<boolean> {
  const rows = await read`
    select from account_settings s where s.account_id = ${uuidOf(account)} and ${awaitsPayoutOf(day)}
  `;
  return rows.length > 0;
}

type PayoutRow = {
  account_id: string;
  livemode: boolean;
  id: string;
  status: PayoutStatus;
  version: number;
  amount: number;
  currency: Currency;
  day: string | null;
  part: number;
  captured_before: Date | null;
  description: string | null;
  metadata: Record<string, string>;
  arrives_at: Date;
  failure_entry_id: string | null;
};

function toPayout(row: PayoutRow): Payout {
  return {
    id: idFromUuid("po", row.id),
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    status: row.status,
    version: row.version,
    price: { amountMinor: row.amount, currency: row.currency },
    day: row.day,
    part: row.part,
    capturedBefore: row.captured_before,
    description: row.description,
    metadata: row.metadata,
    arrivesAt: row.arrives_at,
    failureEntry: idFromNullableUuid("txn", row.failure_entry_id),
  };
}
