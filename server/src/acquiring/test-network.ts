import type { DisputeReason } from "@florin/contract/dispute.ts";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../platform/database/database.ts";
import type { Background, Loop } from "../platform/jobs/loop.ts";
import type {
  DisputeResponse,
  OperationInquiry,
  PayoutRequest,
  Processor,
  ReferenceRequest,
} from "./processor.ts";

/** The default time that the service waits for an acquirer's response before the outcome is `unknown`. */
export const defaultAcquirerTimeoutMs = 20_000;

/**
 * Test mode's acquirer and 3-D Secure network. The service does not import an implementation. `florin start` and the
 * tests pass one in, from the workspace `simulator/`.
 */
export type TestNetwork = {
  readonly acquirer: Processor & TestControls;
  /** The URL of the directory server, to which the 3DS server posts its requests. */
  readonly directoryUrl: () => string;
  /** The origin of the ACS pages, as a content security policy source. */
  readonly issuerSource: () => string;
  /** Serves the ACS pages to browsers. */
  servePages(app: FastifyInstance): void;
  /** Serves the directory server and the ACS to other servers, on the loopback listener only. */
  serveNetwork(internal: FastifyInstance): void;
  /** Starts the background work. */
  start(background: Background): Loop[];
  /** Returns a lost connection to waiting callers. Notifications that were not sent yet are dropped. */
  close(): Promise<void>;
};

/** Actions of issuers, banks and card networks, for the test helpers of the API. */
export type TestControls = {
  /** Fails a completed or pending refund, as when the cardholder's bank returns it. Returns false if there is none. */
  failRefund(request: OperationInquiry): Promise<boolean>;
  /** Returns a payout to the sender. Returns false if the bank never received it or reported its arrival. */
  failPayout(request: Pick<PayoutRequest, "account" | "reference">): Promise<boolean>;
  /** Opens a dispute on a payment and notifies the service. Returns the case number. */
  openDispute(about: ReferenceRequest, dispute: TestDispute): Promise<string>;
  /** Decides a dispute and notifies the service. Returns false if none is open. */
  closeDispute(
    which: Pick<DisputeResponse, "account" | "networkCase">,
    outcome: "won" | "lost",
  ): Promise<boolean>;
  /** Returns whether every notification of a dispute was delivered. */
  hasNotifiedOf(which: Pick<DisputeResponse, "account" | "networkCase">): Promise<boolean>;
};

export type TestDispute = {
  readonly reason: DisputeReason;
  readonly isInquiry: boolean;
  /** Null disputes all that is left of the charge. */
  readonly amountMinor: number | null;
};

/** The parts of the service that a test network uses. */
export type TestNetworkDeps = {
  readonly database: Database;
  readonly clock: Clock;
  /** The origin at which browsers reach the service. */
  readonly publicUrl: () => string;
  /** The origin of the service's loopback listener. */
  readonly internalUrl: () => string;
  /** The URL to which the acquirer posts its notifications, secret included. */
  readonly notificationUrl: () => string;
  /** Returns whether a URL is exactly the 3-D Secure callback URL of this transaction, secret included. */
  readonly isCallbackUrl: (
    callback: "method" | "notification" | "results",
    url: string,
    transactionId: string,
  ) => boolean;
};

export type CreateTestNetwork = (deps: TestNetworkDeps) => TestNetwork;
