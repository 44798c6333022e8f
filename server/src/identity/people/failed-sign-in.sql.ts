import { idFromUuid, type PersonId, uuidOf } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";

/** The kind of credential that failed. Failed sign-ins with a passkey are recorded without a person. */
export type FailedSignInKind = "password" | "code" | "passkey";

/** The person ID that is recorded if the person is unknown. */
export const noPerson = idFromUuid("per", "00000000-0000-0000-0000-000000000000");

type Counted = {
  readonly minute: Date;
  readonly network: string;
  readonly kind: FailedSignInKind;
  readonly person: PersonId;
};

export async function upsertFailedSignIn(
  tx: Tx,
  { minute, network, kind, person }: Counted,
): Promise<void> {
  await tx`
    insert into failed_sign_ins as f (minute, network, kind, person_id, attempts)
    values (${minute}, ${network}, ${kind}, ${uuidOf(person)}, 1)
        on conflict (minute, network, kind, person_id) do update set attempts = f.attempts + 1
  `;
}

export type FailedSignIns = Counted & { readonly attempts: number };

/** Deletes and returns the counts of the earliest minute before `before`. Each row is returned to one server only. */
export async function takeFailedSignIns(tx: Tx, before: Date): Promise<FailedSignIns[]> {
  const rows = await tx<{
    minute: Date;
    network: string;
    kind: FailedSignInKind;
    person_id: string;
    attempts: number;
  }>`
    delete from failed_sign_ins
     where minute = (select min(minute) from failed_sign_ins where minute < ${before})
    returning minute, network, kind, person_id, attempts
  `;
  return rows.map(({ person_id, ...row }) => ({ ...row, person: idFromUuid("per", person_id) }));
}
