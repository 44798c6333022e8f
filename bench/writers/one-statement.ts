import { commitTransition } from "@florin/server/payments/commit/commit-transitions.sql.ts";
import { insertCharges } from "@florin/server/payments/commit/intents.sql.ts";
import { bindTag, type Tx } from "@florin/server/platform/database/sql.ts";
import { insertAuthorizations } from "@florin/simulator/authorization.sql.ts";
import pg from "pg";
import { poolSize, type Writers } from "./writers.ts";

/**
 * Writes each phase of a charge with one statement. The statements are those of the service, but each writes only one
 * charge. The service's higher throughput is therefore the gain of group commit.
 */
export function oneStatementPerPhase(databaseUrl: string): Writers {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize, options: pinnedPlans });
  // A single statement runs in an implicit transaction.
  const tx = bindTag(pool) as Tx;
  return {
    insertCharge: async (newCharge) => (await insertCharges(tx, [newCharge]))[0] as boolean,
    commitCharge: (transition) => commitTransition(tx, transition),
    recordAuthorization: async (authorization) =>
      void (await insertAuthorizations(tx, [authorization], new Date())),
    close: () => pool.end(),
  };
}

/** Planner settings that give these statements the same plans as in the service. */
const pinnedPlans = ["seqscan", "hashjoin", "mergejoin", "bitmapscan"]
  .map((plan) => `-c enable_${plan}=off`)
  .join(" ");
