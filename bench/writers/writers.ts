import type { ChargeOutcome } from "@florin/server/payments/charges/finalize-charges.sql.ts";
import type { NewCharge } from "@florin/server/payments/charges/insert-charges.sql.ts";
import type { Authorization } from "@florin/simulator/authorization.ts";

/** Writes one charge at a time, with its entry in the simulator's ledger. */
export type Writers = {
  insertCharge(newCharge: NewCharge): Promise<boolean>;
  finalizeCharge(outcome: ChargeOutcome): Promise<boolean>;
  recordAuthorization(line: Authorization): Promise<void>;
  close(): Promise<void>;
};

/** The default size of the service's own pool. */
export const poolSize = 16;
