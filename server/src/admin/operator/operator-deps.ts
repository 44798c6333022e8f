import type { Environment } from "../../acquiring/connections/connection.ts";
import type { RestartInquiryDeps } from "../../payments/inquiries/restart-inquiry.ts";
import type { UnderwritingDeps } from "../underwriting/underwriting-deps.ts";

/** The dependencies of the admin console. */
export type OperatorDeps = UnderwritingDeps & {
  /** The response timeout of live acquirers, which the console displays. */
  readonly acquirerTimeoutMs: number;
  /** The default rate limit of an account in requests per second. Null means no limit. */
  readonly defaultRequestsPerSecond: number | null;
  /**
   * True if a mail server is configured. Without one, mail stays in the queue for the demo inbox and does not count as
   * overdue.
   */
  readonly sendsMail: boolean;
  /** Restarts the inquiries about unknown outcomes. */
  readonly inquiries: RestartInquiryDeps;
  /** The acquirers' environment that this instance is started with. */
  readonly environment: Environment;
  /** True if sensitive changes require a second operator's confirmation. */
  readonly fourEyes: boolean;
  /** The hour in UTC of the daily search for card data outside the vault. Null disables the search. */
  readonly cardSearchHour: number | null;
  /** Wakes the loop that executes requested checker runs. */
  readonly wakeChecker: () => void;
};
