import {
  type AccountId,
  type AssignmentId,
  type ChargeId,
  idFromNullableUuid,
  idFromUuid,
  type OperationId,
  uuidOf,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql } from "../../platform/database/sql.ts";

/** The charge that a notification names by its ID or by the ID of its capture, void or refund. */
export type NamedCharge = { readonly account: AccountId; readonly charge: ChargeId };

/**
 * Returns the live charges of these accounts that have one of the charge IDs or an operation with one of the operation
 * IDs. The keys of the map are these IDs.
 */
export async function findNamedCharges(
  read: Sql,
  accounts: readonly AccountId[],
  { charges, operations }: { charges: readonly ChargeId[]; operations: readonly OperationId[] },
): Promise<ReadonlyMap<string, NamedCharge>> {
  const ofAccounts = accounts.map(uuidOf);
  const rows = await read<{ account_id: string; charge_id: string; operation_id: string | null }>`
    select account_id, id as charge_id, null::uuid as operation_id
      from charges
     where account_id = any(${ofAccounts}::uuid[]) and livemode and id = any(${charges.map(uuidOf)}::uuid[])
    union all
    select account_id, charge_id, id
      from operations
     where account_id = any(${ofAccounts}::uuid[]) and livemode and id = any(${operations.map(uuidOf)}::uuid[])
  `;
  return new Map(
    rows.map(({ account_id, charge_id, operation_id }) => {
      const charge = idFromUuid("ch", charge_id);
      const reference = idFromNullableUuid("op", operation_id) ?? charge;
      return [reference, { account: idFromUuid("acct", account_id), charge }];
    }),
  );
}

/** The merchant and the acquirer of an operation that a notification names. */
export type NotifiedOperation = {
  readonly id: OperationId;
  readonly scope: Scope;
  /** The assignment over which the charge was sent. */
  readonly assignmentId: AssignmentId | null;
};

/**
 * Returns the merchant and the acquirer of a capture, void or refund of a live charge. Returns null if none of the
 * accounts has an operation with this ID.
 */
export async function findNotifiedOperation(
  read: Sql,
  accounts: readonly AccountId[],
  id: OperationId,
): Promise<NotifiedOperation | null> {
  const [row] = await read<{
    account_id: string;
    livemode: boolean;
    assignment_id: string | null;
  }>`
    select o.account_id, o.livemode, c.assignment_id
      from operations o
      join charges c on c.account_id = o.account_id and c.livemode = o.livemode and c.id = o.charge_id
     where o.account_id = any(${accounts.map(uuidOf)}::uuid[]) and o.livemode and o.id = ${uuidOf(id)}
  `;
  return row
    ? {
        id,
        scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
        assignmentId: idFromNullableUuid("asg", row.assignment_id),
      }
    : null;
}
