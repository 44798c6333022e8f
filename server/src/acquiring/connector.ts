import type { Clock } from "../core/clock.ts";
import type { ChargeId } from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import type { Timers } from "../core/timers.ts";
import type { AcquirerClient } from "./acquirer-client.ts";
import type { CertificationCheck, CertificationRun } from "./certification.ts";
import type { Assignment } from "./connections/assignment.ts";
import type { Connection, TestResult } from "./connections/connection.ts";
import type { OpenConnection } from "./connections/connection-directory.ts";
import type { ConnectionSecrets } from "./connections/connection-secrets.ts";
import type { LiveNotification } from "./live-notification.ts";
import type { AuthorizationOutcome } from "./outcome.ts";
import type { AuthorizeRequest, LiveProcessorName, Processor } from "./processor.ts";
import type { FetchedReport, SettlementReport } from "./settlement-report.ts";
import type { VerifiedNotifications } from "./verified-notification.ts";

/**
 * The code for one live acquirer. Each connector has a folder of its own and an entry in `connectors.ts`. No other code
 * depends on which acquirer a connection is to.
 */
export type Connector = {
  /** The acquirer's name for operators. */
  readonly title: string;
  /** The connector with the version of the acquirer's API, for the record of a certification. */
  readonly version: string;
  /** Returns whether the acquirer can represent the amount in its currency. */
  represents(price: Money): boolean;
  /** Returns a processor that sends the assignment's requests. */
  createProcessor(options: ProcessorOptions): Processor;
  /** Tests the API key and the settings with a request that moves no money. */
  testConnection(
    connection: Connection,
    secrets: ConnectionSecrets,
    options: { readonly timers: Timers; readonly origin: string | undefined },
  ): Promise<TestResult>;
  /** Verifies the signatures of all notifications in the body of a request to the connection. */
  verifyNotifications(open: OpenConnection, body: string, now: Date): VerifiedNotifications;
  /**
   * Returns the typed notification of a stored item. `origin` is the origin of a local fake that is used instead of the
   * acquirer's server.
   */
  notificationOf(item: object, receivedAt: Date, origin: string | undefined): LiveNotification;
  /** Returns the charge whose authorization the item reports. Null for every other item. */
  authorizedChargeOf(item: object): ChargeId | null;
  /** Returns the merchant account and our reference in a stored item. The reference is empty if the item has none. */
  namesIn(item: object): { readonly merchantAccount: string; readonly reference: string };
  /** Returns the fields of a stored item that operators see. They contain no personal or card data. */
  shownFieldsOf(item: object): Readonly<Record<string, string>>;
  /** Fetches the settlement report that the notification announces. */
  fetchReport(
    secrets: ConnectionSecrets,
    notification: LiveNotification,
    timers: Timers,
  ): Promise<FetchedReport>;
  /** Reads a settlement report that an operator uploads. Returns the problem if it is malformed. */
  readReport(file: Buffer): Promise<SettlementReport | { readonly unreadable: string }>;
  /** Runs the checks of `florin certify` against the acquirer's sandbox. */
  certify(run: CertificationRun): Promise<CertificationCheck[]>;
};

export type ProcessorOptions = {
  readonly connection: Connection;
  readonly assignment: Assignment;
  readonly secrets: ConnectionSecrets;
  /** The secret from which the idempotency keys are derived. It must not change. */
  readonly idempotencySecret: Uint8Array;
  /** Returns the HTTP client for one of the acquirer's origins. */
  readonly clientOf: (origin: string) => AcquirerClient;
  /** The origin of a local fake that is used instead of the acquirer's servers. */
  readonly origin: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** The page to which a cardholder without a session returns. */
  readonly defaultReturnUrl: string;
  /** Receives the outcome of an authorization whose response arrived after `authorize` had returned `unknown`. */
  readonly onLateOutcome: (request: AuthorizeRequest, outcome: AuthorizationOutcome) => void;
};

/** The origins of local fakes that are used instead of the acquirers' servers, for an instance that uses sandboxes. */
export type AcquirerOrigins = { readonly [name in LiveProcessorName]?: string };
