import { openCharges } from "@florin/server/charges/open-charges.sql.ts";
import { settleCharges } from "@florin/server/charges/settle-charges.sql.ts";
import { bindTag, type Tx } from "@florin/server/database/sql.ts";
import { insertAuthorizations } from "@florin/server/processors/simulator/authorization.sql.ts";
import pg from "pg";
import { poolSize, type Writers } from "./writers.ts";

/**
 * One statement for each phase of a charge: the service's own statements, with one charge in each. What the
 * service gains over this it gains by sharing commits.
 */
export function oneStatementPerPhase(databaseUrl: string): Writers {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize, options: pinnedPlans });
  // A statement on its own is a transaction.
  const tx = bindTag(pool) as Tx;
  return {
    openCharge: async (opening) => (await openCharges(tx, [opening]))[0] as boolean,
    settleCharge: async (settlement) =>
      (await settleCharges(tx, [settlement], null))[0]?.recorded ?? false,
    recordAuthorization: async (line) => void (await insertAuthorizations(tx, [line], new Date())),
    close: () => pool.end(),
  };
}

/** The plans that the service pins for the same statements. */
const pinnedPlans = ["seqscan", "hashjoin", "mergejoin", "bitmapscan"]
  .map((plan) => `-c enable_${plan}=off`)
  .join(" ");
