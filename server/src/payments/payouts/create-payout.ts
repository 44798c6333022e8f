import assert from "node:assert/strict";
import type { CurrencyAmounts } from "@florin/contract/currency.ts";
import { ApiError } from "../../core/api-error.ts";
import { newId } from "../../core/ids.ts";
import type { Currency, Money } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { lockAccount, readAccount } from "../../identity/accounts/account.sql.ts";
import type { Account } from "../../identity/accounts/account.ts";
import { amountsIn, rejectPayoutAmount } from "../../identity/accounts/fees-and-limits.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type NewEvent, renderEvent } from "../../webhooks/events/event.ts";
import { readBalance, readCapturedBefore } from "../balance/balance.sql.ts";
import { isClockAdvancing } from "../commit/clock-advance.sql.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import type { Entry } from "../ledger/ledger.sql.ts";
import { lockPayouts, newPayout, tryLockPayouts } from "./payout.sql.ts";
import { beginPayout, type Payout, payoutObject, reportPayout } from "./payout.ts";

type RequestedPayout = Pick<Payout, "scope" | "price" | "description" | "metadata">;

/** Debits the balance and inserts the payout. A job calls the bank after the commit. */
export async function createPayout(tx: Tx, requested: RequestedPayout, now: Date): Promise<Payout> {
  const { scope, price } = requested;
  // Two payouts must not use the same balance. Processes of an earlier version lock only the account.
  await lockPayouts(tx, scope);
  await lockAccount(tx, scope.account);
  const account = await payableAccount(tx, scope);
  rejectPayoutAmount(account, price);
  const available = await availableOf(tx, scope, price.currency, now);
  if (available < price.amountMinor) throw tooMuch(price, available);
  const { payout, entry } = beginPayout(
    { ...requested, day: null, part: 1, capturedBefore: null },
    now,
  );
  const isNew = await insertPayout(tx, payout, { entry, now });
  assert(isNew, `${payout.id} exists already`);
  return payout;
}

/** The maximum number of automatic payouts per day and currency. The remaining balance is paid out the next day. */
const maxPartsPerDay = 10;

/**
 * Pays out the account's available balance in each currency, at most once for each `day`. An amount above the maximum
 * payout is split. A balance below the minimum payout is not paid out until it has grown. Creates no payout while
 * another transaction creates one or while the test clock advances. The job then continues with the next merchant and
 * tries this one again a minute later.
 */
export async function createScheduledPayouts(
  tx: Tx,
  scope: Scope,
  day: string,
  now: Date,
): Promise<readonly Payout[]> {
  if (!(await tryLockPayouts(tx, scope))) return [];
  // A scheduled payout contains the payments of a period. An advance in progress would still move some of these
  // payments, but not the period of the new payout.
  if (await isClockAdvancing(tx, scope)) return [];
  await lockAccount(tx, scope.account);
  const account = await readAccount(tx, scope.account);
  assert(account, `${scope.account} has a payout but no account`);
  const capturedBefore = await readCapturedBefore(tx, scope, now);
  const made: Payout[] = [];
  for (const { currency, availableMinor } of await readBalance(tx, scope, now)) {
    const amounts = splitPayout(availableMinor, amountsIn(account, currency));
    for (const [index, amountMinor] of amounts.entries()) {
      const price: Money = { amountMinor, currency };
      const part = { day, part: index + 1, capturedBefore };
      const params = { scope, price, ...part, description: null, metadata: {} };
      const { payout, entry } = beginPayout(params, now);
      // If the insert is skipped, another server has already inserted the day's payouts in this currency.
      if (!(await insertPayout(tx, payout, { entry, now }))) break;
      made.push(payout);
    }
  }
  return made;
}

/** A payout that a live acquirer has sent to the merchant. */
export type ReportedPayout = Pick<Payout, "id" | "scope" | "price" | "description"> & {
  readonly paidAt: Date;
};

/**
 * Records a payout that the acquirer has sent, with the ledger entries for its debit and its arrival, and its event.
 */
export async function recordReportedPayout(
  tx: Tx,
  reported: ReportedPayout,
  now: Date,
): Promise<void> {
  const { payout, entries } = reportPayout(reported, now);
  const isNew = await commitTransition(tx, {
    scope: payout.scope,
    change: newPayout(payout, null),
    entries,
    events: [payoutEvent(payout, "payout.paid", now)],
  });
  assert(isNew, `${payout.id} exists already`);
}

export function payoutEvent(
  payout: Payout,
  type: "payout.paid" | "payout.failed",
  now: Date,
): NewEvent {
  return renderEvent({
    id: newId("evt", now),
    type,
    scope: payout.scope,
    cause: null,
    objectId: payout.id,
    object: JSON.stringify(payoutObject(payout)),
  });
}

function insertPayout(
  tx: Tx,
  payout: Payout,
  { entry, now }: { readonly entry: Entry; readonly now: Date },
): Promise<boolean> {
  const change = newPayout(payout, now);
  return commitTransition(tx, { scope: payout.scope, change, entries: [entry] });
}

/** Splits the available balance into payout amounts between the minimum and the maximum. */
export function splitPayout(
  availableMinor: number,
  { minPayout, maxPayout }: Pick<CurrencyAmounts, "minPayout" | "maxPayout">,
): number[] {
  const amounts: number[] = [];
  for (let left = availableMinor; left >= minPayout && amounts.length < maxPartsPerDay; ) {
    const amount = Math.min(left, maxPayout);
    amounts.push(amount);
    left -= amount;
  }
  return amounts;
}

/**
 * Returns the account. In live mode, throws if the account is not approved. For example, a suspended merchant may need
 * its balance for refunds.
 */
async function payableAccount(tx: Tx, scope: Scope): Promise<Account> {
  const account = await readAccount(tx, scope.account);
  assert(account, `${scope.account} requests a payout but has no account`);
  if (!scope.livemode || account.status === "approved") return account;
  throw new ApiError(
    "payouts_not_allowed",
    `The account is '${account.status}'. It must be 'approved' to create payouts in live mode.`,
  );
}

async function availableOf(tx: Tx, scope: Scope, currency: Currency, now: Date): Promise<number> {
  const amounts = await readBalance(tx, scope, now);
  return amounts.find((one) => one.currency === currency)?.availableMinor ?? 0;
}

function tooMuch({ amountMinor, currency }: Money, available: number): ApiError {
  return new ApiError(
    "balance_insufficient",
    `\`amount\` must be at most the available balance of ${available} ${currency}. Got ${amountMinor}. Wait until pending funds are available, or send a smaller amount.`,
    { param: "amount" },
  );
}
