import type { AccountId, AssignmentId } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import type { LiveProcessorName } from "../processor.ts";
import { listMerchantAccountsOf } from "./assignment.sql.ts";
import { readProcessors } from "./connection.sql.ts";

/** A connection as a merchant sees it: the assignment, the acquirer and the account at the acquirer. */
export type MerchantConnection = {
  readonly id: AssignmentId;
  readonly processor: LiveProcessorName;
  readonly merchantAccount: string;
};

/**
 * Returns the connections that the account has or had. Executes two statements, because assignments belong to the
 * merchant and connections to the operator.
 */
export async function listMerchantConnections(
  read: Sql,
  account: AccountId,
): Promise<readonly MerchantConnection[]> {
  const assignments = await listMerchantAccountsOf(read, account);
  if (assignments.length === 0) return [];
  const connections = assignments.map(({ connection }) => connection);
  const processors = await readProcessors(read, connections);
  return assignments.flatMap(({ id, connection, merchantAccount }) => {
    const processor = processors.get(connection);
    return processor ? { id, processor, merchantAccount } : [];
  });
}
