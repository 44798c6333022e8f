import type { Clock } from "../core/clock.ts";
import type { AssignmentId, ConnectionId } from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import type { Timers } from "../core/timers.ts";
import { type AcquirerClient, createAcquirerClient } from "./acquirer-client.ts";
import type { AcquiredCharge, Acquirers, RoutedCard } from "./acquirers.ts";
import type { Connection } from "./connections/connection.ts";
import type { ConnectionActivity } from "./connections/connection-activity.ts";
import type {
  AssignedConnection,
  ConnectionDirectory,
} from "./connections/connection-directory.ts";
import type { TestConnection } from "./connections/test-connection.ts";
import type { AcquirerOrigins, Connector } from "./connector.ts";
import { connectors } from "./connectors.ts";
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
  /** The response timeout. A request without a response within this time has the outcome `unknown`. */
  readonly responseTimeoutMs: number;
  /** The page to which a cardholder returns if the payment has no return URL. */
  readonly defaultReturnUrl: () => string;
  readonly onLateOutcome: (request: AuthorizeRequest, outcome: AuthorizationOutcome) => void;
  readonly onCall: (call: ObservedCall, processor: Processor) => void;
};

export type LiveAcquirers = Pick<
  Acquirers,
  "choose" | "chooseNext" | "acceptsNetworkTokens" | "of" | "isConnected"
> & {
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
    const created = connectors[connection.processor].createProcessor({
      connection,
      assignment,
      secrets,
      idempotencySecret: deps.idempotencySecret,
      clientOf: (origin) => clientOf(origin, connection.id),
      origin: origins[connection.processor],
      clock: deps.clock,
      random: deps.random,
      defaultReturnUrl: deps.defaultReturnUrl(),
      onLateOutcome: deps.onLateOutcome,
    });
    // Records only admitted requests. A request that the circuit breaker rejected is not a failure of the acquirer, and
    // would keep the circuit open.
    const observed = observeCalls(created, (call) => {
      const { operation, response, durationMs } = call;
      const { kind: outcome, why = null } = response;
      activity.record(connection.id, { operation, outcome, why, durationMs, at: deps.clock.now() });
      deps.onCall(call, created);
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
    acceptsNetworkTokens({ account }, price) {
      const assigned = directory.assignmentsOf(account);
      return assigned.some((one) => accepts(one, price) && connectorOf(one).acceptsNetworkTokens);
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

/** Returns a function that tests a connection with its connector. */
export function createConnectionTest({
  timers,
  origins,
}: Pick<LiveAcquirersDeps, "timers" | "origins">): TestConnection {
  return (connection, secrets) => {
    const { processor } = connection;
    const options = { timers, origin: origins[processor] };
    return connectors[processor].testConnection(connection, secrets, options);
  };
}

/** Returns whether charges of this amount and currency can be sent over the assignment. */
function accepts({ assignment, connection }: AssignedConnection, price: Money): boolean {
  const { currencies } = assignment;
  return (
    (currencies === null || currencies.includes(price.currency)) &&
    connectors[connection.processor].represents(price)
  );
}

function connectorOf({ connection }: AssignedConnection): Connector {
  return connectors[connection.processor];
}

/**
 * Returns whether charges of this card can be sent over the assignment. An assignment that is limited to certain
 * networks or countries rejects cards whose network or country is unknown.
 */
function acceptsCard(assigned: AssignedConnection, card: RoutedCard): boolean {
  const { assignment } = assigned;
  const { networks, country, isNetworkToken = false } = card;
  if (isNetworkToken && !connectorOf(assigned).acceptsNetworkTokens) return false;
  const { preferred, available } = networks;
  const possible = preferred === null ? available : [preferred];
  return (
    (assignment.networks === null ||
      possible.some((network) => assignment.networks?.includes(network))) &&
    (assignment.countries === null || (country !== null && assignment.countries.includes(country)))
  );
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
