import type { CardNetwork } from "@florin/contract/payment-method.ts";
import {
  type AccountId,
  type AssignmentId,
  type ConnectionId,
  idFromUuid,
  uuidOf,
} from "../../core/ids.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Page, pageRows } from "../../platform/http/list.ts";
import type { Assignment, AssignmentState } from "./assignment.ts";

type AssignmentRow = {
  account_id: string;
  id: string;
  connection_id: string;
  merchant_account: string;
  mcc: string;
  descriptor: string | null;
  acquirer_bin: string | null;
  currencies: string[] | null;
  networks: CardNetwork[] | null;
  countries: string[] | null;
  priority: number;
  state: AssignmentState;
  ended_at: Date | null;
  version: number;
};

export async function insertAssignment(tx: Tx, assignment: Assignment): Promise<void> {
  await tx`
    insert into processor_assignments (
      account_id, id, connection_id, merchant_account, mcc, descriptor, acquirer_bin, currencies, networks, countries,
      priority
    ) values (
      ${uuidOf(assignment.account)}, ${uuidOf(assignment.id)}, ${uuidOf(assignment.connection)},
      ${assignment.merchantAccount}, ${assignment.mcc}, ${assignment.descriptor}, ${assignment.acquirerBin},
      ${assignment.currencies}, ${assignment.networks}, ${assignment.countries}, ${assignment.priority}
    )
  `;
}

/**
 * Replaces the assignment if its stored version is still `version`. Returns false if a concurrent change was committed
 * first.
 */
export async function updateAssignment(
  tx: Tx,
  version: number,
  assignment: Assignment,
): Promise<boolean> {
  const endedAt = assignment.state === "ended" ? assignment.endedAt : null;
  const rows = await tx`
    update processor_assignments
       set merchant_account = ${assignment.merchantAccount}, mcc = ${assignment.mcc},
           descriptor = ${assignment.descriptor}, acquirer_bin = ${assignment.acquirerBin},
           currencies = ${assignment.currencies}, networks = ${assignment.networks},
           countries = ${assignment.countries}, priority = ${assignment.priority}, state = ${assignment.state},
           ended_at = ${endedAt}, version = version + 1
     where account_id = ${uuidOf(assignment.account)} and id = ${uuidOf(assignment.id)} and version = ${version}
    returning id
  `;
  return rows.length === 1;
}

/** Returns the assignment with this ID, in any account. Only operators read assignments by ID. */
export async function readAssignment(read: Sql, id: AssignmentId): Promise<Assignment | null> {
  const [row] = await read<AssignmentRow>`
    select * from processor_assignments where id = ${uuidOf(id)}
  `;
  return row ? toAssignment(row) : null;
}

export type AssignmentFilter = {
  readonly account: AccountId | null;
  readonly connection: ConnectionId | null;
  readonly state: AssignmentState | null;
};

export async function listAssignments(
  read: Sql,
  { account, connection, state }: AssignmentFilter,
  page: Page,
): Promise<Assignment[]> {
  const rows = await read<AssignmentRow>`
    select *
      from processor_assignments
     where ${account ? fragment`account_id = ${uuidOf(account)}` : fragment`true`}
       ${connection ? fragment`and connection_id = ${uuidOf(connection)}` : fragment``}
       ${state ? fragment`and state = ${state}` : fragment``}
       ${pageRows(page)}
  `;
  return rows.map(toAssignment);
}

/** Returns the merchant account and the connection of each assignment that the account has or had. */
export async function listMerchantAccountsOf(
  read: Sql,
  account: AccountId,
): Promise<readonly Pick<Assignment, "id" | "connection" | "merchantAccount">[]> {
  const rows = await read<AssignmentRow>`
    select id, connection_id, merchant_account
      from processor_assignments
     where account_id = ${uuidOf(account)}
  `;
  return rows.map((row) => ({
    id: idFromUuid("asg", row.id),
    connection: idFromUuid("con", row.connection_id),
    merchantAccount: row.merchant_account,
  }));
}

/** Returns the assignments of all accounts, for the directory in memory. */
export async function listAllAssignments(read: Sql): Promise<Assignment[]> {
  const rows = await read<AssignmentRow>`
    select * from processor_assignments order by account_id, priority, id
  `;
  return rows.map(toAssignment);
}

/** Returns the connection of the account's assignment. */
export async function readConnectionOf(
  read: Sql,
  account: AccountId,
  assignment: AssignmentId,
): Promise<ConnectionId | null> {
  const [row] = await read<{ connection_id: string }>`
    select connection_id
      from processor_assignments
     where account_id = ${uuidOf(account)} and id = ${uuidOf(assignment)}
  `;
  return row ? idFromUuid("con", row.connection_id) : null;
}

export async function countActiveAssignments(read: Sql, connection: ConnectionId): Promise<number> {
  const [row] = await read<{ count: number }>`
    select count(*)::int as count
      from processor_assignments
     where connection_id = ${uuidOf(connection)} and state = 'active'
  `;
  return row?.count ?? 0;
}

function toAssignment(row: AssignmentRow): Assignment {
  const facts = {
    id: idFromUuid("asg", row.id),
    account: idFromUuid("acct", row.account_id),
    connection: idFromUuid("con", row.connection_id),
    merchantAccount: row.merchant_account,
    mcc: row.mcc,
    descriptor: row.descriptor,
    acquirerBin: row.acquirer_bin,
    currencies: row.currencies,
    networks: row.networks,
    countries: row.countries,
    priority: row.priority,
    version: row.version,
  };
  return row.state === "ended"
    ? { ...facts, state: row.state, endedAt: row.ended_at as Date }
    : { ...facts, state: row.state };
}
