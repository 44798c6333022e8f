import type { Logger } from "pino";
import type { Environment } from "../acquiring/connections/connection.ts";
import type { TestConnection } from "../acquiring/connections/test-connection.ts";
import type { AcquirerOrigins } from "../acquiring/connector.ts";
import type { Processor } from "../acquiring/processor.ts";
import type { CreateTestNetwork } from "../acquiring/test-network.ts";
import type { EmvServerTiming } from "../acquiring/three-d-secure/emv-server.ts";
import type { ArchivePolicy } from "../admin/retention/archive-payments.ts";
import type { Clock } from "../core/clock.ts";
import type { AccountId } from "../core/ids.ts";
import type { Timers } from "../core/timers.ts";
import type { Meters } from "../insights/monitoring/process-metrics.ts";
import type { EmbedFiles } from "../payments/checkout/frame-pages.ts";
import type { AuthenticationTiming } from "../payments/three-d-secure/deadlines.ts";
import type { SendMail } from "../platform/mail/smtp.ts";
import type { Siblings } from "../platform/processes/siblings.ts";
import type { Tracing } from "../platform/tracing/tracing.ts";
import type { KeyProvider } from "../vault/key-provider.ts";
import type { WalletServers } from "../vault/wallets/wallet-servers.ts";
import type { DeliverySettings } from "../webhooks/delivery/delivery-deps.ts";
import type { DashboardFiles } from "./dashboard/serve-dashboard.ts";

/** The configuration of the service. */
export type AppOptions = {
  readonly databaseUrl: string;
  /** A standby that serves lists, downloads and figures. By default, the primary serves every request. */
  readonly replicaUrl?: string | null;
  readonly databasePool: number;
  readonly keys: KeyProvider;
  readonly clock: Clock;
  /**
   * The timers of the background loops. The system's timers by default. Requests to acquirers always use real timers,
   * so a test that fires the timers of the loops does not time out a request.
   */
  readonly timers?: Timers;
  /** Returns a number between 0 and 1 for the jitter of retries. */
  readonly random: () => number;
  readonly log: Logger;
  /** Receives a copy of each audit entry. The same as `log` by default. Null when nothing collects the log. */
  readonly auditLog?: Logger | null;
  /** The processes of this service behind one port. A single process by default. */
  readonly siblings?: Siblings;
  /** Records the metrics of the process. By default, nothing is measured. */
  readonly meters?: Meters;
  /** Traces sampled requests. Tracing is off by default. */
  readonly tracing?: Tracing;
  readonly embed: EmbedFiles;
  /** The dashboard's files. If they are left out, the dashboard is not served. */
  readonly dashboard?: DashboardFiles;
  /** The guides and the scripts of `/docs`. Without them, `/docs` contains the API reference only. */
  readonly docs?: { readonly directory: string };
  /**
   * Returns the origin at which browsers reach the service. This is a function, because the port may be known only
   * after listening.
   */
  readonly publicUrl: () => string;
  /**
   * Returns the origin of the page with Google Pay's button. This origin has another host name that leads to the same
   * service. By default, live mode does not offer Google Pay.
   */
  readonly walletsUrl?: (() => string) | null;
  /** The port of the loopback listener for the simulated card network. By default, and with 0, any free port. */
  readonly internalPort?: number;
  /** The origin of the loopback listener when a proxy is in front of it. */
  readonly internalUrl?: () => string;
  /** Networks of the proxies in front of the service. */
  readonly trustedProxies?: readonly string[];
  readonly rateLimit: number | null;
  /** The lock-out time of a sign-in after too many failures. 30 minutes by default. */
  readonly lockOutMs?: number;
  /** Networks to which test mode may send webhooks, in addition to the public internet. */
  readonly privateWebhooks: readonly string[];
  /** True if this process also delivers webhooks and runs the jobs. */
  readonly workers: boolean;
  /** The number of days that saved cards of a closed account are kept. 90 by default. */
  readonly closedAccountCardDays?: number;
  /** The policy for moving payments to archives. If it is null or absent, no payments are archived. */
  readonly archive?: ArchivePolicy | null;
  /** The UTC hour at which the daily search for card data outside the vault starts. By default there is no search. */
  readonly cardSearchHour?: number | null;
  /** Sends email. Null without a mail server. */
  readonly sendMail?: SendMail | null;
  /**
   * The secret that lets browsers on this machine read queued mail in the dashboard if there is no mail server. If it
   * is null or absent, the dashboard shows no mail.
   */
  readonly inboxSecret?: string | null;
  /**
   * Returns the acquirer that charges for an account in live mode. If this function is absent or returns null, the
   * account's assignments select the acquirer.
   */
  readonly liveAcquirer?: (account: AccountId) => Processor | null;
  /** The environment of the acquirers that live mode uses. Their live environment by default. */
  readonly acquirers?: Environment;
  /** The origins that are used instead of the acquirers' own, for an instance that uses their sandboxes. */
  readonly acquirerOrigins?: AcquirerOrigins;
  /** Replaces the servers of Google Pay and Apple Pay and the roots of their signatures, for tests. */
  readonly walletServers?: Partial<WalletServers>;
  /** Replaces the connection test, which sends a request to the acquirer. */
  readonly testConnection?: TestConnection;
  /** True if an operator's sensitive change needs the confirmation of a second operator. */
  readonly fourEyes?: boolean;
  /** Creates test mode's acquirer and 3-D Secure network. */
  readonly createTestNetwork: CreateTestNetwork;
  /**
   * The response timeout of live acquirers. The admin console displays it too. `createTestNetwork` sets the timeout of
   * the simulator.
   */
  readonly acquirerTimeoutMs?: number;
  readonly threeDSecure?: Partial<AuthenticationTiming & EmvServerTiming>;
  readonly deliveries?: Partial<DeliverySettings>;
};
