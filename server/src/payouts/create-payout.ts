import { lockAccount, readAccount } from "../accounts/account.sql.ts";
import { readBalance } from "../balance/balance.sql.ts";
import type { Tx } from "../database/sql.ts";
import { insertEntry } from "../ledger/ledger.sql.ts";
import { ApiError } from "../primitives/api-error.ts";
import type { Currency, Money } from "../primitives/money.ts";
import type { Owner } from "../primitives/owner.ts";
import { insertPayout } from "./payout.sql.ts";
import { beginPayout, type Payout } from "./payout.ts";

type Asked = Pick<Payout, "owner" | "price" | "description" | "metadata">;

/** Takes the money out of the balance and writes the payout down; the bank is asked when both are kept. */
export async function createPayout(tx: Tx, asked: Asked, now: Date): Promise<Payout> {
  const { owner, price } = asked;
  // One after the other, so that two payouts never take the same money.
  await lockAccount(tx, owner.account);
  await refuseHeldMoney(tx, owner);
  const available = await availableOf(tx, owner, price.currency, now);
  if (available < price.amountMinor) throw tooMuch(price, available);
  const { payout, entry } = beginPayout({ ...asked, day: null }, now);
  await insertPayout(tx, payout, now);
  await insertEntry(tx, owner, entry);
  return payout;
}

/** Pays out all that is available, a payout for each currency, once for each day. */
export async function payOutTheDay(
  tx: Tx,
  owner: Owner,
  day: string,
  now: Date,
): Promise<readonly Payout[]> {
  await lockAccount(tx, owner.account);
  const made: Payout[] = [];
  for (const { currency, availableMinor } of await readBalance(tx, owner, now)) {
    if (availableMinor <= 0) continue;
    const price: Money = { amountMinor: availableMinor, currency };
    const { payout, entry } = beginPayout(
      { owner, price, day, description: null, metadata: {} },
      now,
    );
    if (!(await insertPayout(tx, payout, now))) continue;
    await insertEntry(tx, owner, entry);
    made.push(payout);
  }
  return made;
}

/** What a suspended merchant took may have to be given back: it stays here until the operator knows. */
async function refuseHeldMoney(tx: Tx, owner: Owner): Promise<void> {
  if (!owner.livemode) return;
  const account = await readAccount(tx, owner.account);
  if (account?.status === "approved") return;
  throw new ApiError(
    "payouts_not_allowed",
    `This account is '${account?.status}', and must be 'approved' to pay out in live mode.`,
  );
}

async function availableOf(tx: Tx, owner: Owner, currency: Currency, now: Date): Promise<number> {
  const amounts = await readBalance(tx, owner, now);
  return amounts.find((one) => one.currency === currency)?.availableMinor ?? 0;
}

function tooMuch({ amountMinor, currency }: Money, available: number): ApiError {
  return new ApiError(
    "balance_insufficient",
    `${amountMinor} ${currency} was to be paid out, and ${available} is available. Wait until pending funds are, or send a smaller amount.`,
    { param: "amount" },
  );
}
