import { connectionStateNames } from "@florin/contract/operator-connections.ts";
import { ApiError } from "../../core/api-error.ts";
import type { ConnectionId } from "../../core/ids.ts";
import { assertTransition, type Transitions } from "../../core/transitions.ts";
import type { LiveProcessorName } from "../processor.ts";

export type ConnectionState = (typeof connectionStateNames)[number];

/** The acquirer's environment. A sandbox moves no real money. */
export type Environment = "sandbox" | "live";

/** The operator's account at an acquirer, through which the payments of several merchants are sent. */
export type Connection = ConnectionFacts &
  (
    | { readonly state: Exclude<ConnectionState, "suspended"> }
    | { readonly state: "suspended"; readonly suspendedReason: string }
  );

type ConnectionFacts = {
  readonly id: ConnectionId;
  readonly processor: LiveProcessorName;
  readonly name: string;
  readonly environment: Environment;
  /** The random part of the URL to which the acquirer sends notifications. */
  readonly endpointKey: string;
  readonly settings: ConnectionSettings;
  /**
   * The public key of the account at the acquirer, which wallets need to encrypt their tokens for this account. Null if
   * the acquirer needs none, or if no wallet is offered over the connection. No charge refers to the key, so it can
   * change at any time.
   */
  readonly publicKey: string | null;
  /** The maximum rate of requests to the acquirer. Null means no limit. */
  readonly requestsPerSecond: number | null;
  /** The versions and times of the secrets. The secrets themselves are in `ConnectionSecrets`. */
  readonly secrets: {
    /** The number of times that secrets were stored. 0 before the first. */
    readonly version: number;
    readonly configuredAt: Date | null;
    /** The time until which the secrets before the last rotation are valid. */
    readonly previousUntil: Date | null;
  };
  readonly test: {
    readonly passedAt: Date | null;
    /** The version of the secrets that passed the test. */
    readonly secretsVersion: number | null;
    /** The problem that the last test found. */
    readonly problem: string | null;
  };
  /** The first notification that was verified with the secrets of version `secretsVersion`. */
  readonly notification: { readonly seenAt: Date; readonly secretsVersion: number } | null;
  /** The last certification against the acquirer's sandbox. New secrets do not change it. */
  readonly certification: Certification | null;
  readonly version: number;
};

/** A run of `florin certify` in which no check failed. */
export type Certification = {
  readonly certifiedAt: Date;
  /** The `version` of the connector when it was certified. */
  readonly connector: string;
  /** The number of checks that passed. */
  readonly checks: number;
};

export type ConnectionSettings = {
  readonly merchantAccount: string;
  /** The prefix of the live URL. Null for a sandbox. */
  readonly livePrefix: string | null;
};

export const connectionTransitions: Transitions<ConnectionState> = {
  draft: { tested: "the connection test passed", retired: "discarded by an operator" },
  tested: {
    draft: "secrets or settings changed, or a test failed",
    active: "activated by an operator",
    retired: "discarded by an operator",
  },
  active: {
    suspended: "suspended by an operator, or three requests in a row had rejected credentials",
    draining: "replaced by another connection",
  },
  suspended: { active: "resumed by an operator", draining: "replaced by another connection" },
  draining: { retired: "no further refunds or disputes are expected" },
  retired: {},
};

/** The reason why a connection accepts no new charges. `secrets`: the secrets are missing or cannot be decrypted. */
export type Unavailable = "suspended" | "draining" | "not_active" | "environment" | "secrets";

/**
 * Returns the reason why no new charge may be sent over the connection by a service that uses this environment, or null
 * if charges may be sent. Does not consider the secrets.
 */
export function whyUnavailable(
  { state, environment }: Connection,
  serviceEnvironment: Environment,
): Unavailable | null {
  switch (state) {
    case "active":
      return environment === serviceEnvironment ? null : "environment";
    case "suspended":
    case "draining":
      return state;
    case "draft":
    case "tested":
    case "retired":
      return "not_active";
  }
}

/**
 * Returns whether captures, refunds and inquiries about existing charges may be sent. A suspended or draining
 * connection still sends them.
 */
export function servesExistingCharges({ state }: Connection): boolean {
  return state === "active" || state === "suspended" || state === "draining";
}

/** Returns whether a test with the current secrets has passed and no later test has failed. */
export function isTested({ test, secrets }: Connection): boolean {
  return test.problem === null && hasPassedTest(secrets.version, test.secretsVersion);
}

function hasPassedTest(secretsVersion: number, passedVersion: number | null): boolean {
  return secretsVersion > 0 && passedVersion === secretsVersion;
}

export type TestResult =
  | { readonly kind: "passed" }
  /** `problem` is shown to the operator. It contains no secret. */
  | { readonly kind: "failed"; readonly problem: string };

/**
 * Returns the connection after a test with its current secrets. A failed test does not stop an active connection,
 * because the acquirer may be unreachable for a moment.
 */
export function withTestResult(connection: Connection, result: TestResult, now: Date): Connection {
  assertNotRetired(connection);
  const { test, secrets } = connection;
  if (result.kind === "failed") {
    const failed = { ...connection, test: { ...test, problem: result.problem } };
    return connection.state === "tested" ? withState(failed, "draft") : failed;
  }
  const passed = { passedAt: now, secretsVersion: secrets.version, problem: null };
  const tested = { ...connection, test: passed };
  return connection.state === "draft" ? withState(tested, "tested") : tested;
}

/**
 * Returns whether new secrets must pass a test before they are stored. This is the case if payments may depend on the
 * connection.
 */
export function requiresTestedSecrets(connection: Connection): boolean {
  return servesExistingCharges(connection);
}

/**
 * Returns the connection with new secrets. `testedAt` is the time at which a test with the new secrets has passed, or
 * null. The earlier secrets of an activated connection stay valid until `previousUntil`. Before the activation, they
 * become invalid immediately, because no notification depends on them. Otherwise an operator could forge notifications
 * with an earlier key that the operator who confirms the activation does not know.
 */
export function withNewSecrets(
  connection: Connection,
  { previousUntil, testedAt, now }: { previousUntil: Date; testedAt: Date | null; now: Date },
): Connection {
  assertNotRetired(connection);
  const version = connection.secrets.version + 1;
  const secrets = {
    version,
    configuredAt: now,
    previousUntil: servesExistingCharges(connection) ? previousUntil : null,
  };
  if (testedAt) {
    const test = { passedAt: testedAt, secretsVersion: version, problem: null };
    return { ...connection, secrets, test };
  }
  return untested({ ...connection, secrets });
}

/**
 * Returns the connection with new settings. Settings cannot change after the activation, because charges may refer to
 * them.
 */
export function withSettings(connection: Connection, settings: ConnectionSettings): Connection {
  if (connection.state !== "draft" && connection.state !== "tested") {
    throw notPossible(connection, ["draft", "tested"], "have its settings changed");
  }
  return untested({ ...connection, settings });
}

/**
 * Returns the connection with another public key, to which wallets encrypt their tokens. The key determines which
 * account at the acquirer receives the tokens. If sensitive changes need a second operator (`fourEyes`), the key of an
 * active connection can therefore only be removed.
 */
export function withPublicKey(
  connection: Connection,
  publicKey: string | null,
  fourEyes: boolean,
): Connection {
  const isNew = publicKey !== null && publicKey !== connection.publicKey;
  if (!isNew || !fourEyes || !servesExistingCharges(connection))
    return { ...connection, publicKey };
  throw new ApiError(
    "status_transition_invalid",
    `The connection is '${connection.state}'. With FLORIN_FOUR_EYES=on, \`public_key\` cannot be set to a new key after the activation. It can only be removed. Create another connection with the new key, and activate it with a second operator.`,
    { param: "public_key" },
  );
}

/** Returns the connection without a passed test. A tested connection becomes a draft again. */
function untested(connection: Connection): Connection {
  const test = { passedAt: null, secretsVersion: null, problem: null };
  const changed = { ...connection, test };
  return connection.state === "tested" ? withState(changed, "draft") : changed;
}

/** Returns whether no notification has been verified with the current secrets yet. */
export function isFirstNotification({ notification, secrets }: Connection): boolean {
  return notification?.secretsVersion !== secrets.version;
}

/** Returns the connection after a notification that was verified with the current secrets. */
export function withNotification(connection: Connection, now: Date): Connection {
  const secretsVersion = connection.secrets.version;
  return { ...connection, notification: { seenAt: now, secretsVersion } };
}

/** Returns the reason why `florin certify` cannot run on the connection, or null if it can. */
export function rejectCertification({ environment, state, secrets }: Connection): string | null {
  if (environment === "live") {
    return "The connection is to the acquirer's live environment. The checks use test cards, so they require a sandbox connection.";
  }
  if (state === "retired")
    return "The connection is retired and has no secrets. Certify another connection.";
  return secrets.version === 0
    ? "The connection has no secrets. Store its API key and its notification key first."
    : null;
}

/**
 * Returns the connection as active, so that it accepts new charges. `environment` is the environment of this instance.
 */
export function activate(connection: Connection, environment: Environment): Connection {
  assertState(connection, ["tested"], "be activated");
  assertEnvironment(connection, environment);
  assertReady(connection);
  if (isFirstNotification(connection)) {
    throw new ApiError(
      "connection_not_ready",
      "No notification has arrived with the connection's current secrets. Send a test notification from the acquirer's console to the connection's `webhook_url`, then activate the connection.",
    );
  }
  return withState(connection, "active");
}

export function suspend(connection: Connection, reason: string): Connection {
  assertState(connection, ["active"], "be suspended");
  assertTransition(connectionTransitions, connection.id, connection.state, "suspended");
  return { ...connection, state: "suspended", suspendedReason: reason };
}

export function resume(connection: Connection, environment: Environment): Connection {
  assertState(connection, ["suspended"], "be resumed");
  assertEnvironment(connection, environment);
  assertReady(connection);
  return withState(connection, "active");
}

/** Stops new charges permanently. Captures, refunds and disputes of existing charges continue. */
export function drain(connection: Connection): Connection {
  assertState(connection, ["active", "suspended"], "be drained");
  return withState(connection, "draining");
}

/** The maximum number of unsettled payments to count. */
export const maxCountedPayments = 1_000;

/** The reasons why a connection cannot be retired yet. */
export type ConnectionUse = {
  readonly activeAssignments: number;
  /** The number of charges and operations that wait for an outcome from the acquirer, and of authorized charges. */
  readonly unfinishedPayments: number;
  /** The number of disputes whose response or outcome is awaited. */
  readonly openDisputes: number;
  /** The number of notifications that have not been applied yet. */
  readonly pendingNotifications: number;
  /**
   * The number of captured payments that the acquirer is still expected to pay out. It is exact up to
   * `maxCountedPayments`. Any greater value only means that there are more.
   */
  readonly unsettledPayments: number;
};

/**
 * Ends the connection. Its secrets are erased, so no further request can be sent for its charges, and no further
 * notification is accepted. A payment without an outcome would therefore never get one, and an authorized charge could
 * be neither captured nor canceled. The amount of a dispute would stay debited although the merchant has won it, and a
 * payment whose settlement report is not fetched would never leave the pending balance.
 */
export function retire(connection: Connection, use: ConnectionUse): Connection {
  const { activeAssignments, unfinishedPayments, openDisputes } = use;
  assertState(connection, ["draft", "tested", "draining"], "be retired");
  if (activeAssignments > 0) {
    throw new ApiError(
      "status_transition_invalid",
      `The connection still has active assignments (${activeAssignments}). End all of them before you retire the connection.`,
    );
  }
  if (unfinishedPayments > 0) {
    throw new ApiError(
      "status_transition_invalid",
      `The connection still has authorized charges, or charges, captures, refunds or cancellations without an outcome (${unfinishedPayments}). Wait until the charges are captured or canceled and the outcomes have arrived before you retire the connection.`,
    );
  }
  if (openDisputes > 0) {
    throw new ApiError(
      "status_transition_invalid",
      `The connection still has open disputes (${openDisputes}). Wait until the acquirer has reported their outcomes before you retire the connection.`,
    );
  }
  if (use.pendingNotifications > 0) {
    throw new ApiError(
      "status_transition_invalid",
      `The connection still has notifications that have not been applied (${use.pendingNotifications}). Wait until they are applied before you retire the connection.`,
    );
  }
  if (use.unsettledPayments > 0) {
    const isCounted = use.unsettledPayments <= maxCountedPayments;
    const most = maxCountedPayments.toLocaleString("en-US");
    const payments = isCounted ? use.unsettledPayments : `more than ${most}`;
    throw new ApiError(
      "status_transition_invalid",
      `The connection still has captured payments that no settlement report contains (${payments}). Wait until the acquirer has paid them out before you retire the connection.`,
    );
  }
  const secrets = { ...connection.secrets, previousUntil: null };
  return withState({ ...connection, secrets }, "retired");
}

function assertReady(connection: Connection): void {
  if (isTested(connection)) return;
  throw new ApiError(
    "connection_not_ready",
    "No test has passed with the connection's current secrets and settings, or the last test failed. Test the connection first.",
  );
}

function assertEnvironment(connection: Connection, environment: Environment): void {
  if (connection.environment === environment) return;
  throw new ApiError(
    "connection_environment_mismatch",
    environment === "live"
      ? "The connection is to the acquirer's sandbox, but this instance charges real cards. Start a separate instance with FLORIN_ACQUIRERS=sandbox."
      : "The connection is to the acquirer's live environment, but this instance runs with FLORIN_ACQUIRERS=sandbox. Use an instance without that setting.",
  );
}

function assertNotRetired(connection: Connection): void {
  const states = connectionStateNames.filter((state) => state !== "retired");
  assertState(connection, states, "be changed");
}

function assertState(
  connection: Connection,
  states: readonly ConnectionState[],
  purpose: string,
): void {
  if (!states.includes(connection.state)) throw notPossible(connection, states, purpose);
}

function notPossible(
  { state }: Connection,
  states: readonly ConnectionState[],
  purpose: string,
): ApiError {
  return new ApiError(
    "status_transition_invalid",
    `The connection is '${state}'. It must be ${states.map((one) => `'${one}'`).join(" or ")} to ${purpose}.`,
  );
}

function withState(
  connection: Connection,
  state: Exclude<ConnectionState, "suspended">,
): Connection {
  assertTransition(connectionTransitions, connection.id, connection.state, state);
  if (connection.state !== "suspended") return { ...connection, state };
  const { suspendedReason, ...facts } = connection;
  return { ...facts, state };
}
