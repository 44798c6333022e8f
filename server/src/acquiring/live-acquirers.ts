import type { Clock } from "../core/clock.ts";
import type { AssignmentId, ConnectionId } from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import type { Timers } from "../core/timers.ts";
import { type AcquirerClient, createAcquirerClient, type SendResult } from "./acquirer-client.ts";
import type { AcquiredCharge, Acquirers, RoutedCard } from "./acquirers.ts";
import { createAdyenProcessor } from "./adyen/adyen-processor.ts";
import { toAdyenAmount } from "./adyen/currencies.ts";
import { disputeServiceUrl } from "./adyen/dispute-service.ts";
import { baseUrl } from "./adyen/requests.ts";
import type { Connection, TestResult } from "./connections/connection.ts";
import type { ConnectionActivity } from "./connections/connection-activity.ts";
import type {
  AssignedConnection,
  ConnectionDirectory,
} from "./connections/connection-directory.ts";
import type { TestConnection } from "./connections/test-connection.ts";
import { type ObservedCall, observeCalls } from "./observe-calls.ts";
import type { AuthorizationOutcome, Rejected } from "./outcome.ts";
import type { AuthorizeRequest, Processor } from "./processor.ts";

export type LiveAcquirersDeps = {
  readonly directory: ConnectionDirectory;
  readonly activity: ConnectionActivity;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  /** The secret from which idempotency keys are derived. */
  readonly idempotencySecret: Uint8Array;
  /** The origins that are used instead of the acquirers' own, for an instance that uses sandboxes. */
  readonly origins: AcquirerOrigins;
  /** The response timeout. The outcome of a request is `unknown` after it. */
  readonly responseTimeoutMs: number;
  /** The page to which a cardholder returns if the payment has no return URL. */
  readonly defaultReturnUrl: () => string;
  readonly onLateOutcome: (request: AuthorizeRequest, outcome: AuthorizationOutcome) => void;
  readonly onCall: (call: ObservedCall, processor: Processor) => void;
};

export type AcquirerOrigins = { readonly adyen?: string };

export type LiveAcquirers = Pick<Acquirers, "choose" | "chooseNext" | "of" | "isConnected"> & {
  close(): Promise<void>;
};

/**
 * Creates the acquirers of live mode, one per assignment. Assignments to the same connection share HTTP connections.
 */
export function createLiveAcquirers(deps: LiveAcquirersDeps): LiveAcquirers {
  const { directory, activity, timers, origins } = deps;
  const clients = new Map<string, AcquirerClient>();
  const processors = new Map<
    AssignmentId,
    { readonly of: string; readonly processor: Processor }
  >();

  function clientOf(origin: string, connection: ConnectionId): AcquirerClient {
    const name = `${connection} ${origin}`;
    const known = clients.get(name);
    if (known) return known;
    const timeouts = { responseMs: deps.responseTimeoutMs };
    const client = createAcquirerClient({ origin, timers, timeouts });
    clients.set(name, client);
    return client;
  }

  function processorOf(assigned: AssignedConnection): Processor {
    const { assignment, connection, secrets } = assigned;
    // Creates a new processor after a change of the assignment, the settings or the secrets.
    const state = [assignment.version, connection.version, connection.secrets.version].join();
    const known = processors.get(assignment.id);
    if (known?.of === state) return known.processor;
    const url = adyenUrl(connection, origins);
    const disputesUrl = adyenDisputesUrl(connection, origins);
    const adyen = createAdyenProcessor({
      assignment,
      apiKey: secrets.apiKey,
      idempotencySecret: deps.idempotencySecret,
      client: clientOf(url.origin, connection.id),
      basePath: url.pathname,
      disputes: {
        client: clientOf(disputesUrl.origin, connection.id),
        basePath: disputesUrl.pathname,
      },
      clock: deps.clock,
      random: deps.random,
      defaultReturnUrl: deps.defaultReturnUrl(),
      onLateOutcome: deps.onLateOutcome,
    });
    // Records only admitted requests. A request that the circuit breaker rejected is not a failure of the acquirer, and
    // would keep the circuit open.
    const observed = observeCalls(adyen, (call) => {
      const { operation, response, durationMs } = call;
      const { kind: outcome, why = null } = response;
      activity.record(connection.id, { operation, outcome, why, durationMs, at: deps.clock.now() });
      deps.onCall(call, adyen);
    });
    const processor = limited(observed, connection, activity);
    processors.set(assignment.id, { of: state, processor });
    return processor;
  }

  /** Returns the first acquirer that accepts the charge. Without a card, only the price is checked. */
  function chooseAmong(
    assignments: readonly AssignedConnection[],
    price: Money,
    card: RoutedCard | undefined,
  ): Processor | null {
    const assigned = assignments.find(
      (one) => accepts(one, price) && (card === undefined || acceptsCard(one, card)),
    );
    return assigned ? processorOf(assigned) : null;
  }

  return {
    choose({ account }, price, card) {
      return chooseAmong(directory.assignmentsOf(account), price, card);
    },
    chooseNext({ account }, price, card, tried) {
      const connections = new Set(tried.map((id) => directory.assigned(id)?.connection.id));
      const others = directory
        .assignmentsOf(account)
        .filter(({ connection }) => !connections.has(connection.id));
      return chooseAmong(others, price, card);
    },
    of({ assignmentId }: AcquiredCharge) {
      const assigned = assignmentId && directory.assigned(assignmentId);
      return assigned ? processorOf(assigned) : null;
    },
    isConnected: ({ account }) => directory.assignmentsOf(account).length > 0,
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}

/**
 * Returns a function that tests a connection. The function requests the payment methods of the merchant account, which
 * Adyen returns only if the API key has access to the account (`/paymentMethods` of CheckoutService-v72.json).
 */
export function createConnectionTest({
  timers,
  origins,
}: Pick<LiveAcquirersDeps, "timers" | "origins">): TestConnection {
  return async (connection, { apiKey }) => {
    const url = adyenUrl(connection, origins);
    const client = createAcquirerClient({ origin: url.origin, timers });
    const result = await client.send({
      method: "POST",
      path: `${url.pathname}/paymentMethods`,
      headers: { "content-type": "application/json", "x-api-key": apiKey.reveal() },
      body: JSON.stringify({ merchantAccount: connection.settings.merchantAccount }),
    });
    await client.close();
    return testResult(result);
  };
}

function testResult(result: SendResult): TestResult {
  if (result.kind !== "response") {
    return { kind: "failed", problem: `Adyen could not be reached (${result.problem}).` };
  }
  const { status } = result.response;
  switch (status) {
    case 200:
      return { kind: "passed" };
    case 401:
      return { kind: "failed", problem: "Adyen rejected the API key (status 401)." };
    case 403:
    case 422:
      return {
        kind: "failed",
        problem: `The API key does not have access to this merchant account (status ${status}).`,
      };
    default:
      return { kind: "failed", problem: `Adyen returned status ${status}.` };
  }
}

/** Returns whether charges of this amount and currency can be sent over the assignment. */
function accepts({ assignment }: AssignedConnection, price: Money): boolean {
  const { currencies } = assignment;
  return (
    (currencies === null || currencies.includes(price.currency)) && toAdyenAmount(price) !== null
  );
}

/**
 * Returns whether charges of this card can be sent over the assignment. An assignment that is limited to certain
 * networks or countries rejects cards whose network or country is unknown.
 */
function acceptsCard(
  { assignment }: AssignedConnection,
  { networks, country }: RoutedCard,
): boolean {
  const { preferred, available } = networks;
  const possible = preferred === null ? available : [preferred];
  return (
    (assignment.networks === null ||
      possible.some((network) => assignment.networks?.includes(network))) &&
    (assignment.countries === null || (country !== null && assignment.countries.includes(country)))
  );
}

/** Returns the base URL of Adyen's API for the connection. */
export function adyenUrl({ environment, settings }: Connection, origins: AcquirerOrigins): URL {
  const isLive = environment === "live" && settings.livePrefix !== null;
  const url = baseUrl(isLive ? { live: true, prefix: settings.livePrefix } : { live: false });
  return replaceOrigin(url, origins);
}

/** Returns the base URL of Adyen's DisputeService for the connection. */
export function adyenDisputesUrl({ environment }: Connection, origins: AcquirerOrigins): URL {
  return replaceOrigin(disputeServiceUrl(environment === "live"), origins);
}

/** Replaces the origin on instances that use sandboxes. On other instances `adyen` is undefined (config.ts). */
function replaceOrigin(url: string, { adyen }: AcquirerOrigins): URL {
  const { href, pathname } = new URL(url);
  return adyen === undefined ? new URL(href) : new URL(pathname, adyen);
}

/**
 * Returns the acquirer with the connection's circuit breaker and rate limit. They apply to authorizations, card
 * verifications, captures, voids and refunds.
 */
function limited(
  processor: Processor,
  connection: Connection,
  activity: ConnectionActivity,
): Processor {
  function limit<Request, Outcome>(send: (request: Request) => Promise<Outcome>) {
    return async (
      request: Request,
    ): Promise<Outcome | Rejected | { readonly kind: "not_sent" }> => {
      const admission = await activity.admit(connection);
      if (admission.kind === "admitted") return send(request);
      return admission.kind === "rate_limited" ? rateLimited : { kind: "not_sent" };
    };
  }
  return {
    ...processor,
    authorize: limit(processor.authorize),
    verifyCard: processor.verifyCard && limit(processor.verifyCard),
    operate: limit(processor.operate),
  };
}

const rateLimited: Rejected = { kind: "rejected", why: "rate_limited", acquirerErrorCode: null };
