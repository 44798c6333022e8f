import type { AccountStatus } from "@florin/contract/account.ts";
import type { Sql, Tx } from "../database/sql.ts";
import { type AccountId, uuidOf } from "../primitives/ids.ts";
import type { Account } from "./account.ts";

export async function insertAccount(tx: Tx, account: Account): Promise<void> {
  const { pricing } = account;
  await tx`
    insert into accounts (id, name, country, status, fee_basis_points, fee_fixed_minor, allowed_origins)
    values (${uuidOf(account.id)}, ${account.name}, ${account.country}, ${account.status},
            ${pricing.basisPoints}, ${pricing.fixedMinor}, ${account.allowedOrigins})
  `;
}

export async function readAccount(read: Sql, id: AccountId): Promise<Account | null> {
  const [row] = await read<{
    name: string;
    country: string;
    status: AccountStatus;
    fee_basis_points: number;
    fee_fixed_minor: number;
    allowed_origins: string[];
  }>`
    select name, country, status, fee_basis_points, fee_fixed_minor, allowed_origins
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
    allowedOrigins: row.allowed_origins,
  };
}
