import type { Clock } from "../../core/clock.ts";
import type { PersonId } from "../../core/ids.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { readPersonByEmail, setOperator } from "./person.sql.ts";
import { resetSecondFactor } from "./reset-second-factor.ts";

/**
 * Steps that restore access to the admin console from the server's command line. They need no further authentication,
 * because a person with a shell on the server and the database password already has full control. Each step writes an
 * audit entry.
 */
const steps = {
  add: (tx: Tx, id: PersonId) => setOperator(tx, id, true),
  reset: resetSecondFactor,
} as const;

export type OperatorStep = keyof typeof steps;
export const operatorSteps = Object.keys(steps) as OperatorStep[];

/** Applies the step to the person with this email address. Returns false if there is no such person. */
export async function appointOperator(
  { database, clock }: { database: Database; clock: Clock },
  step: OperatorStep,
  email: string,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const person = await readPersonByEmail(tx, email);
    if (!person) return false;
    await steps[step](tx, person.id, clock.now());
    const entry = {
      account: null,
      livemode: null,
      actor: { kind: "service" },
      action: step === "reset" ? "operator.second_factor_reset" : "operator.added",
      object: person.id,
      ...(step === "add" && { after: { operator: true, email: person.email } }),
      reason: "Requested on the command line",
    } as const;
    await recordAuditEntry(tx, entry, clock);
    return true;
  });
}
