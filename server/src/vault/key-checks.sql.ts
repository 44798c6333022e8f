import type { Sql, Tx } from "../platform/database/sql.ts";

/** A check value by which a key is recognized: a wrapped constant or an HMAC. */
export type KeyCheck = {
  readonly keyId: string;
  readonly livemode: boolean;
  readonly kind: "encryption" | "hmac";
  readonly checkValue: Buffer;
  /** True once nothing in the database is encrypted with the key. */
  readonly retired: boolean;
};

type KeyCheckRow = {
  key_id: string;
  livemode: boolean;
  kind: KeyCheck["kind"];
  check_value: Buffer;
  retired: boolean;
};

export async function readKeyChecks(read: Sql): Promise<KeyCheck[]> {
  const rows = await read<KeyCheckRow>`
    select key_id, livemode, kind, check_value, retired_at is not null as retired
      from key_checks
     order by key_id
  `;
  return rows.map((row) => ({
    keyId: row.key_id,
    livemode: row.livemode,
    kind: row.kind,
    checkValue: row.check_value,
    retired: row.retired,
  }));
}

/** Inserts a check value. If two servers register the same key concurrently, the first row is kept. */
export async function insertKeyCheck(
  tx: Tx,
  check: Omit<KeyCheck, "retired">,
  at: Date,
): Promise<void> {
  await tx`
    insert into key_checks (key_id, livemode, kind, check_value, registered_at)
    values (${check.keyId}, ${check.livemode}, ${check.kind}, ${check.checkValue}, ${at})
    on conflict (key_id) do nothing
  `;
}

/** Marks all key-encryption keys of a mode except the given one as retired. */
export async function retireOtherKeys(
  tx: Tx,
  livemode: boolean,
  currentKeyId: string,
  at: Date,
): Promise<void> {
  await tx`
    update key_checks
       set retired_at = ${at}
     where livemode = ${livemode} and kind = 'encryption' and key_id <> ${currentKeyId} and retired_at is null
  `;
}

/** Returns whether the database contains API keys or stored cards of a mode, which depend on the mode's keys. */
export async function usesKeys(read: Sql, livemode: boolean): Promise<boolean> {
  const [row] = await read<{ used: boolean }>`
    select exists (select from api_keys where livemode = ${livemode})
        or exists (select from vault_cards where livemode = ${livemode}) as used
  `;
  return row?.used === true;
}
