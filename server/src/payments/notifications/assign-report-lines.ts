import type { TransactionLine } from "../../acquiring/adyen/settlement-report.ts";
import type { Assignment } from "../../acquiring/connections/assignment.ts";
import { caseIdOf } from "../../acquiring/connections/dispute-case-id.ts";
import type { ReportLine } from "../../acquiring/connections/settlement-report.sql.ts";
import type { AccountId, ChargeId, ConnectionId } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { findNamedCharges, findOperationsAtAcquirer } from "./acquirer-notification.sql.ts";

/** The number of lines whose objects are read with one statement. */
const batchSize = 5_000;

export type AssignedLines = {
  readonly lines: readonly ReportLine[];
  /** The lines about payments that belong to none of the accounts. */
  readonly unassigned: readonly TransactionLine[];
};

/**
 * Finds the account of each line of a settlement report by the charge that it names. If only one account uses the merchant
 * account, lines without a charge also belong to it, and its reconciliation reports them as differences.
 */
export async function assignLines(
  read: Sql,
  connection: ConnectionId,
  assignments: readonly Assignment[],
  lines: readonly TransactionLine[],
): Promise<AssignedLines> {
  const accounts = [...new Set(assignments.map(({ account }) => account))];
  const onlyAccount = accounts.length === 1 ? (accounts[0] as AccountId) : null;
  const assigned: ReportLine[] = [];
  const unassigned: TransactionLine[] = [];
  for (let from = 0; from < lines.length; from += batchSize) {
    const batch = lines.slice(from, from + batchSize);
    const charges = [...new Set(batch.flatMap(({ charge }) => charge ?? []))];
    const accountOf = await findNamedCharges(read, accounts, { charges, operations: [] });
    const operationOf = await findOperationsAtAcquirer(read, accounts, charges);
    for (const line of batch) {
      const account = accountOf.get(line.charge ?? "")?.account ?? onlyAccount;
      if (account === null) unassigned.push(line);
      else assigned.push({ ...lineFor(connection, line, operationOf), account });
    }
  }
  return { lines: assigned, unassigned };
}

function lineFor(
  connection: ConnectionId,
  line: TransactionLine,
  operationOf: ReadonlyMap<string, string>,
): Omit<ReportLine, "account"> {
  const atAcquirer = line.modificationReference ?? line.paymentReference ?? "";
  const charge: ChargeId | string = line.charge ?? plain(line.paymentReference ?? "");
  const { settlementType, gross } = line;
  return {
    line: line.line,
    type: settlementType,
    reference: referenceOf(),
    charge,
    currency: gross.currency,
    amountMinor: gross.amountMinor,
    feeMinor: feeInGross(line),
  };

  function referenceOf(): string {
    switch (settlementType) {
      case "capture":
      case "capture_reversal":
        return charge;
      case "refund":
      case "refund_return":
        return line.operation ?? operationOf.get(atAcquirer) ?? plain(atAcquirer);
      default:
        return caseIdOf(connection, atAcquirer);
    }
  }
}

/** Returns the fee in the currency of the payment, converted back with the amounts of the line and rounded half up. */
function feeInGross({ gross, net, feeMinor }: TransactionLine): number {
  if (gross.currency === net.currency) return feeMinor;
  const beforeFee = net.amountMinor + feeMinor;
  return beforeFee === 0 ? 0 : Math.round((feeMinor * gross.amountMinor) / beforeFee);
}

/** Removes the characters that a settlement file cannot contain from an acquirer's reference. */
function plain(reference: string): string {
  return reference.replace(/[^0-9A-Za-z_-]/g, "");
}
