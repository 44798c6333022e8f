import { type AccountId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { type Fragment, fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import type { Idempotency } from "../../platform/http/route.ts";

/** An advance of a merchant's test clock that is in progress. */
export type ClockAdvance = {
  readonly account: AccountId;
  readonly id: string;
  readonly seconds: number;
  readonly idempotency: Idempotency | null;
  readonly startedAt: Date;
  /** The number of tables whose rows have all moved. */
  readonly movedTables: number;
  /**
   * The key of the last row that was read in the first table that is not complete. The next batch starts after this
   * key.
   */
  readonly movedThrough: string;
};

const columns = fragment`
  account_id, id, seconds, idempotency_key, fingerprint, started_at, moved_tables, moved_through`;

export async function insertClockAdvance(tx: Tx, advance: ClockAdvance): Promise<void> {
  const { account, id, seconds, idempotency, startedAt } = advance;
  await tx`
    insert into clock_advances (account_id, id, seconds, idempotency_key, fingerprint, started_at, progressed_at)
    values (${uuidOf(account)}, ${id}, ${seconds}, ${idempotency?.key ?? null}, ${idempotency?.fingerprint ?? null},
            ${startedAt}, ${startedAt})
  `;
}

/** Returns the advance of the merchant's test clock that is in progress, or null. */
export async function readClockAdvance(
  read: Sql,
  account: AccountId,
  lock: Fragment = fragment``,
): Promise<ClockAdvance | null> {
  const [row] = await read<ClockAdvanceRow>`
    select ${columns} from clock_advances where account_id = ${uuidOf(account)} ${lock}
  `;
  return row ? toClockAdvance(row) : null;
}

/** Reports whether an advance of the test clock is in progress. Live mode has no test clock. */
export async function isClockAdvancing(read: Sql, { account, livemode }: Scope): Promise<boolean> {
  return !livemode && (await readClockAdvance(read, account)) !== null;
}

export async function recordClockProgress(
  tx: Tx,
  { account, movedTables, movedThrough }: ClockAdvance,
  now: Date,
): Promise<void> {
  await tx`
    update clock_advances
       set moved_tables = ${movedTables}, moved_through = ${movedThrough}, progressed_at = ${now}
     where account_id = ${uuidOf(account)}
  `;
}

export async function deleteClockAdvance(tx: Tx, account: AccountId): Promise<void> {
  await tx`delete from clock_advances where account_id = ${uuidOf(account)}`;
}

/** Returns the advances of all accounts that have moved no rows since `before`. */
export async function listStoppedAdvances(read: Sql, before: Date): Promise<ClockAdvance[]> {
  const rows = await read<ClockAdvanceRow>`
    select ${columns} from clock_advances where progressed_at < ${before} order by progressed_at
  `;
  return rows.map(toClockAdvance);
}

type ClockAdvanceRow = {
  account_id: string;
  id: string;
  seconds: number;
  idempotency_key: string | null;
  fingerprint: Buffer | null;
  started_at: Date;
  moved_tables: number;
  moved_through: string;
};

function toClockAdvance(row: ClockAdvanceRow): ClockAdvance {
  const { idempotency_key: key, fingerprint } = row;
  return {
    account: idFromUuid("acct", row.account_id),
    id: row.id,
    seconds: row.seconds,
    idempotency: key !== null && fingerprint !== null ? { key, fingerprint } : null,
    startedAt: row.started_at,
    movedTables: row.moved_tables,
    movedThrough: row.moved_through,
  };
}
