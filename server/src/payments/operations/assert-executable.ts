import type { Acquirers } from "../../acquiring/acquirers.ts";
import { readConnectionOf } from "../../acquiring/connections/assignment.sql.ts";
import { lockUnretired } from "../../acquiring/connections/connection.sql.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { Charge } from "../charges/charge.ts";
import type { Operation } from "./operation.ts";

/**
 * Rejects an operation that the acquirer can never execute. Either the connection of the charge is retired, or the
 * acquirer cannot represent the amount. A refund would otherwise reserve its amount for days, or fail with the advice
 * to try again. Locks the connection, so that it is not retired before the operation is committed.
 */
export async function assertExecutable(
  tx: Tx,
  acquirers: Acquirers,
  charge: Charge,
  { kind, price }: Operation,
): Promise<void> {
  const { id, scope, assignmentId } = charge;
  const connection = assignmentId && (await readConnectionOf(tx, scope.account, assignmentId));
  if (connection && !(await lockUnretired(tx, connection))) {
    throw new ApiError(
      "connector_not_configured",
      `The acquirer of the charge '${id}' is no longer connected. Nothing was sent to the acquirer. Ask the operator to execute the operation in the acquirer's console.`,
      { charge: id },
    );
  }
  const { amountMinor, currency } = price;
  const unit = acquirers.amountUnitOf(charge, currency);
  // A void is sent without an amount.
  if (kind === "void" || amountMinor % unit === 0) return;
  throw new ApiError(
    "parameter_invalid",
    `\`amount\` must be a multiple of ${unit}, the smallest unit of '${currency}' at the acquirer of the charge '${id}'. Got ${amountMinor}.`,
    { param: "amount", charge: id },
  );
}
