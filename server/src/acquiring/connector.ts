import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { Clock } from "../core/clock.ts";
import type { ChargeId } from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import type { Timers } from "../core/timers.ts";
import type { AcquirerClient } from "./acquirer-client.ts";
import type { CertificationCheck, CertificationRun } from "./certification.ts";
import type { Assignment } from "./connections/assignment.ts";
import type {
  Connection,
  ConnectionSettings,
  Environment,
  TestResult,
} from "./connections/connection.ts";
import type { OpenConnection } from "./connections/connection-directory.ts";
import type { ConnectionSecrets } from "./connections/connection-secrets.ts";
import type { ReadToken } from "./encrypted-token.ts";
import type { LiveNotification } from "./live-notification.ts";
import type { AuthorizationOutcome } from "./outcome.ts";
import type { LiveProcessorName, Processor, ReferenceRequest } from "./processor.ts";
import type { FetchedReport, SettlementReport } from "./settlement-report.ts";
import type {
  NotificationRequest,
  StoredItem,
  VerifiedNotifications,
} from "./verified-notification.ts";

/**
 * The code for one live acquirer. Each connector has its own folder and an entry in `connectors.ts`. No other code
 * depends on the acquirer of a connection.
 */
export type Connector = {
  /** The acquirer's name for operators. */
  readonly title: string;
  /** The acquirer's API and its version, such as `Adyen Checkout API v72`. A certification stores this text. */
  readonly version: string;
  /** Returns the problem with an operator's settings for a connection, or null. */
  rejectSettings(settings: ConnectionSettings, environment: Environment): ParameterProblem | null;
  /** Returns the problem with the key that signs the acquirer's notifications, or null. */
  rejectNotificationKey(key: string): string | null;
  /**
   * The time within which the acquirer settles a card payment. An unsettled payment counts as missing from the
   * settlement reports only after this time.
   */
  readonly settlesWithinMs: number;
  /** True if the processor can authorize a network token with its cryptogram. */
  readonly acceptsNetworkTokens: boolean;
  /** The part of the connector for wallets whose tokens the acquirer decrypts itself. */
  readonly gateway: GatewayConnector;
  /** Returns whether the acquirer can represent the amount in its currency. */
  represents(price: Money): boolean;
  /** Returns a processor that sends the assignment's requests. */
  createProcessor(options: ProcessorOptions): Processor;
  /** Tests the API key and the settings with a request that moves no money. */
  testConnection(
    connection: Connection,
    secrets: ConnectionSecrets,
    options: ConnectorOptions,
  ): Promise<TestResult>;
  /** Verifies the signatures of all notifications in a request to the connection. */
  verifyNotifications(
    open: OpenConnection,
    request: NotificationRequest,
    now: Date,
  ): VerifiedNotifications;
  /**
   * Returns the typed notification of a stored item. `origin` is the origin of a local fake that is used instead of the
   * acquirer's server.
   */
  notificationOf(item: StoredItem, receivedAt: Date, origin: string | undefined): LiveNotification;
  /** Returns the fields of a stored notification that operators may see. They contain no personal or card data. */
  shownFieldsOf(item: StoredItem): Readonly<Record<string, string>>;
  /**
   * Finds the charge of a dispute whose notification does not contain our reference. Null if every notification about a
   * payment contains our reference.
   */
  readonly findCharge:
    | ((
        open: OpenConnection,
        notification: LiveNotification,
        options: ConnectorOptions,
      ) => Promise<FoundCharge>)
    | null;
  /**
   * True if the acquirer sends a `second_chargeback` when it debits the amount of a won dispute again. The decision of
   * a later stage, such as the arbitration, can arrive before the `second_chargeback`.
   */
  readonly sendsSecondChargebacks: boolean;
  /** Fetches the settlement report that the notification announces. */
  fetchReport(
    open: OpenConnection,
    notification: LiveNotification,
    options: ConnectorOptions,
  ): Promise<FetchedReport>;
  /** Reads a settlement report that an operator uploads. Returns the problem if the report is malformed. */
  readReport(file: Buffer): Promise<SettlementReport | { readonly unreadable: string }>;
  /** Runs the checks of `florin certify` against the acquirer's sandbox. */
  certify(run: CertificationRun): Promise<CertificationCheck[]>;
};

export type GatewayConnector = {
  /** Returns the problem with the public key that an operator enters for a connection, or null. */
  rejectPublicKey(key: string, environment: Environment): string | null;
  /** Returns the wallets whose tokens the acquirer decrypts. Some acquirers need a public key for them. */
  walletsOf(connection: Pick<Connection, "publicKey">): ReadonlySet<DigitalWallet>;
  /**
   * Returns the parameters with which Google Pay encrypts a token to the acquirer
   * (developers.google.com/pay/api/web/guides/tutorial, "Request a payment token for your payment provider"). The
   * connection must accept Google Pay tokens.
   */
  googlePay(
    connection: Pick<Connection, "publicKey" | "settings">,
    assignment: Pick<Assignment, "merchantAccount">,
  ): Readonly<Record<string, string>>;
  /** Reads a wallet's token. Returns null if the text does not have the form of a token that the acquirer accepts. */
  readToken(wallet: DigitalWallet, text: string): ReadToken | null;
};

export type FoundCharge =
  | { readonly kind: "found"; readonly charge: ChargeId }
  /** Florin did not create the payment. */
  | { readonly kind: "none" }
  /** Another attempt can succeed. */
  | { readonly kind: "retry"; readonly problem: string };

/** Options of requests to the acquirer that do not belong to a payment. */
export type ConnectorOptions = {
  readonly timers: Timers;
  /** The origin of a local fake that is used instead of the acquirer's servers. */
  readonly origin: string | undefined;
};

/** The reason why a parameter of an operator's request is rejected. */
export type ParameterProblem = {
  readonly code: "parameter_missing" | "parameter_invalid";
  readonly param: string;
  readonly message: string;
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
  /** The page to which a cardholder returns if the payment has no return URL. */
  readonly defaultReturnUrl: string;
  /** Receives the outcome of an authorization whose response arrived after `authorize` had returned `unknown`. */
  readonly onLateOutcome: (request: ReferenceRequest, outcome: AuthorizationOutcome) => void;
};

/** The origins of local fakes that are used instead of the acquirers' servers, for an instance that uses sandboxes. */
export type AcquirerOrigins = { readonly [name in LiveProcessorName]?: string };
