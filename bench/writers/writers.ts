import type { NewCharge } from "@florin/server/payments/commit/intents.sql.ts";
import type { Transition } from "@florin/server/payments/commit/transition.ts";
import type { Authorization } from "@florin/simulator/authorization.ts";

/** Writes one charge at a time, with its entry in the simulator's ledger. */
export type Writers = {
  insertCharge(newCharge: NewCharge): Promise<boolean>;
  commitCharge(transition: Transition<"chargeOutcome">): Promise<boolean>;
  recordAuthorization(authorization: Authorization): Promise<void>;
  close(): Promise<void>;
};

/** The default pool size of the service. */
export const poolSize = 16;
