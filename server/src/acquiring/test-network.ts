import type { DisputeReason } from "@florin/contract/dispute.ts";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../platform/database/database.ts";
import type { Background, Loop } from "../platform/jobs/loop.ts";
import type { TestWallet } from "../vault/wallets/wallets.ts";
import type {
  DisputeResponse,
  OperationInquiry,
  PayoutRequest,
  Processor,
  ReferenceRequest,
} from "./processor.ts";

/**
 * The default timeout of a request to the acquirer. A request without a response within this time has the outcome
 * `unknown`.
 */
export const defaultAcquirerTimeoutMs = 20_000;

/**
 * Test mode's acquirer and 3-D Secure network. The server does not import an implementation: `florin start` and the
 * tests inject the one in the workspace `simulator/`.
 */
export type TestNetwork = {
  readonly acquirer: Processor & TestControls;
  /** The wallet from which customers pay in test mode. */
  readonly wallet: TestWallet;
  /** Returns the URL of the directory server, to which the 3DS server posts its messages. */
  readonly directoryUrl: () => string;
  /** Returns the origin of the ACS pages, as a Content Security Policy source. */
  readonly issuerSource: () => string;
  /** Serves the ACS pages and the tokens of the wallet to browsers. */
  servePages(app: FastifyInstance): void;
  /** Serves the directory server and the ACS to other servers, on the loopback listener only. */
  serveNetwork(internal: FastifyInstance): void;
  /** Starts the background loops. */
  start(background: Background): Loop[];
  /** Responds to waiting callers as if the connection was lost. Drops notifications that are not sent yet. */
  close(): Promise<void>;
};

/** Simulates actions of issuers, banks and card networks, for the API's test helpers. */
export type TestControls = {
  /**
   * Fails a completed or pending refund, as if the cardholder's bank had returned it. Returns false if there is no such
   * refund.
   */
  failRefund(request: OperationInquiry): Promise<boolean>;
  /**
   * Fails a payout, as if the merchant's bank returned it. Returns false if the bank has not received the payout or has
   * reported its arrival.
   */
  failPayout(request: Pick<PayoutRequest, "account" | "reference">): Promise<boolean>;
  /** Opens a dispute on a payment and notifies the service. Returns the case number. */
  openDispute(about: ReferenceRequest, dispute: TestDispute): Promise<string>;
  /** Decides a dispute and notifies the service. Returns false if the dispute is not open. */
  closeDispute(
    which: Pick<DisputeResponse, "account" | "networkCase">,
    outcome: "won" | "lost",
  ): Promise<boolean>;
  /** Returns whether every notification about the dispute has been delivered. */
  hasNotifiedOf(which: Pick<DisputeResponse, "account" | "networkCase">): Promise<boolean>;
};

export type TestDispute = {
  readonly reason: DisputeReason;
  readonly isInquiry: boolean;
  /** The disputed amount. Null means the remaining amount of the charge. */
  readonly amountMinor: number | null;
};

/** The dependencies of a test network. */
export type TestNetworkDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** Returns the service's origin for browsers. */
  readonly publicUrl: () => string;
  /** Returns the origin of the service's loopback listener. */
  readonly internalUrl: () => string;
  /** Returns the URL to which the acquirer posts notifications. It contains a secret. */
  readonly notificationUrl: () => string;
  /** Returns whether a URL, including its secret, is the 3-D Secure callback URL of this transaction. */
  readonly isCallbackUrl: (
    callback: "method" | "notification" | "results",
    url: string,
    transactionId: string,
  ) => boolean;
};

export type CreateTestNetwork = (deps: TestNetworkDeps) => TestNetwork;
