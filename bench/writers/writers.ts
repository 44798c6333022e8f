import type { Opening } from "@florin/server/payments/charges/open-charges.sql.ts";
import type { Settlement } from "@florin/server/payments/charges/settle-charges.sql.ts";
import type { Authorization } from "@florin/simulator/authorization.ts";

/** Writes one charge at a time, with its entry in the simulator's ledger. */
export type Writers = {
  openCharge(opening: Opening): Promise<boolean>;
  settleCharge(settlement: Settlement): Promise<boolean>;
  recordAuthorization(line: Authorization): Promise<void>;
  close(): Promise<void>;
};

/** The default size of the service's own pool. */
export const poolSize = 16;
