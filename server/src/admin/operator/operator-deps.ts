import type { RestartInquiryDeps } from "../../payments/inquiries/restart-inquiry.ts";
import type { UnderwritingDeps } from "../underwriting/underwriting-deps.ts";

/** The dependencies of the admin console. */
export type OperatorDeps = UnderwritingDeps & {
  /** The acquirer timeout. */
  readonly acquirerTimeoutMs: number;
  /** The rate limit of an account without its own, in requests per second. Null: no limit. */
  readonly defaultRequestsPerSecond: number | null;
  /** True if there is a mail server. Without one, mail waits to be read in the demo's dashboard and is not overdue. */
  readonly sendsMail: boolean;
  /** Restarts the inquiries about unknown outcomes. */
  readonly inquiries: RestartInquiryDeps;
  /** True when sensitive changes need a second operator's confirmation. */
  readonly fourEyes: boolean;
  /** The hour in UTC of the daily search for card data outside the vault. Null: turned off. */
  readonly cardSearchHour: number | null;
  /** Wakes the loop that runs requested checker runs. */
  readonly wakeChecker: () => void;
};
