import type { Opening } from "@florin/server/charges/open-charges.sql.ts";
import type { Settlement } from "@florin/server/charges/settle-charges.sql.ts";
import type { Authorization } from "@florin/server/processors/simulator/authorization.ts";

/** A way to write a charge, and its line in the simulated acquirer's books, one charge at a time. */
export type Writers = {
  openCharge(opening: Opening): Promise<boolean>;
  settleCharge(settlement: Settlement): Promise<boolean>;
  recordAuthorization(line: Authorization): Promise<void>;
  close(): Promise<void>;
};

/** As many connections as the service's own pool has by default. */
export const poolSize = 16;
