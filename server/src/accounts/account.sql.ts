import type { AccountStatus, PayoutSchedule } from "@florin/contract/account.ts";
import type { Sql, Tx } from "../database/sql.ts";
import { type AccountId, uuidOf } from "../primitives/ids.ts";
import type { Account } from "./account.ts";

export async function insertAccount(tx: Tx, account: Account): Promise<void> {
  const { pricing } = account;
  await tx`
    insert into accounts (id, name, country, status, fee_basis_points, fee_fixed_minor,
                          dispute_fee_minor, payout_schedule, allowed_origins)
    values (${uuidOf(account.id)}, ${account.name}, ${account.country}, ${account.status},
            ${pricing.basisPoints}, ${pricing.fixedMinor}, ${account.disputeFeeMinor}, ${account.payoutSchedule},
            ${account.allowedOrigins})
  `;
}

export async function readAccount(read: Sql, id: AccountId): Promise<Account | null> {
  const [row] = await read<{
    name: string;
    country: string;
    status: AccountStatus;
    fee_basis_points: number;
    fee_fixed_minor: number;
    dispute_fee_minor: number;
    payout_schedule: PayoutSchedule;
    allowed_origins: string[];
  }>`
    select name, country, status, fee_basis_points, fee_fixed_minor, dispute_fee_minor, payout_schedule,
           allowed_origins
      from accounts
     where id = ${uuidOf(id)}
  `;
  if (!row) return null;
  return {
    id,
    name: row.name,
    country: row.country,
    status: row.status,
    pricing: { basisPoints: row.fee_basis_points, fixedMinor: row.fee_fixed_minor },
    disputeFeeMinor: row.dispute_fee_minor,
    payoutSchedule: row.payout_schedule,
    allowedOrigins: row.allowed_origins,
  };
}

/** Locks the account's row, so that what is decided of its balance is decided one after the other. */
export async function lockAccount(tx: Tx, id: AccountId): Promise<void> {
  await tx`select 1 from accounts where id = ${uuidOf(id)} for no key update`;
}

export async function updatePayoutSchedule(
  tx: Tx,
  id: AccountId,
  schedule: PayoutSchedule,
): Promise<void> {
  await tx`update accounts set payout_schedule = ${schedule} where id = ${uuidOf(id)}`;
}
