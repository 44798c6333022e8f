import type pg from "pg";
import { type AccountId, idFromNullableUuid } from "../../core/ids.ts";
import { sendQuery } from "../database/send-query.ts";
import type { Tx } from "../database/sql.ts";

/**
 * The part of the configuration that a change affects: the configuration of one account, or all connections to
 * acquirers with their assignments, which are cached together for all accounts.
 */
export type ChangedPart = AccountId | "connections";

/** The changes that a read found, and the transaction ID from which the next read continues. */
export type ChangesRead = {
  readonly next: bigint;
  readonly changes: readonly { readonly transaction: bigint; readonly part: ChangedPart }[];
};

/**
 * The time limit of a read, which normally takes about a millisecond. A connection on which a read exceeds the limit is
 * closed and replaced.
 */
const readTimeoutMs = 2_000;

/**
 * Reads the changes of all transactions from this transaction ID on. `next` is the oldest transaction that is still
 * running. All older ones have ended, so each of their changes is visible to this read or an earlier one.
 */
export async function readChanges(client: pg.ClientBase, from: bigint): Promise<ChangesRead> {
  const { rows } = await sendQuery(
    client,
    { text: changesText, values: [String(from)] },
    readTimeoutMs,
  );
  return {
    next: BigInt(rows[0].next),
    changes: rows.flatMap(({ transaction_id, account_id }) =>
      transaction_id === null
        ? []
        : {
            transaction: BigInt(transaction_id),
            part: idFromNullableUuid("acct", account_id) ?? "connections",
          },
    ),
  };
}

const changesText = `
  select s.next::text, c.transaction_id::text, c.account_id
    from (select pg_snapshot_xmin(pg_current_snapshot()) as next) s
    left join configuration_changes c on c.transaction_id >= $1::xid8`;

/** Wakes this connection after each commit that contains a change. */
export async function listenForChanges(client: pg.ClientBase): Promise<void> {
  await sendQuery(client, { text: "listen configuration_changes" }, readTimeoutMs);
}

/**
 * Deletes the changes that are more than an hour old. Compares with the database's clock, which also sets the times of
 * the rows. There is no account filter, because the changes of all accounts expire.
 */
export async function deleteOldChanges(tx: Tx): Promise<void> {
  await tx`delete from configuration_changes where changed_at < clock_timestamp() - interval '1 hour'`;
}
