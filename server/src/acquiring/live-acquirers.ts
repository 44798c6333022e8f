import { digitalWallets } from "@florin/contract/payment-method.ts";
import type { Clock } from "../core/clock.ts";
import type { AccountId, AssignmentId, ConnectionId } from "../core/ids.ts";
import type { Timers } from "../core/timers.ts";
import type { WalletGateway } from "../vault/wallets/offered-wallet.ts";
import { type AcquirerClient, createAcquirerClient } from "./acquirer-client.ts";
import {
  type AcquiredCharge,
  type Acquirers,
  amountUnits,
  type ChosenAcquirer,
  isVerifier,
} from "./acquirers.ts";
import type { Connection } from "./connections/connection.ts";
import type { AdmissionRequest, ConnectionActivity } from "./connections/connection-activity.ts";
import type {
  AssignedConnection,
  ConnectionDirectory,
} from "./connections/connection-directory.ts";
import type { TestConnection } from "./connections/test-connection.ts";
import type { AcquirerOrigins } from "./connector.ts";
import { connectors } from "./connectors.ts";
import { allNetworks } from "./networks.ts";
import { type ObservedCall, observeCalls } from "./observe-calls.ts";
import type { AuthorizationOutcome, Rejected } from "./outcome.ts";
import type { Processor, ReferenceRequest } from "./processor.ts";
import { type Candidate, type Route, route, whyRejected } from "./routing/route.ts";
import { gatewayCard, type RoutedPayment } from "./routing/routed-payment.ts";
import type { CompiledRules } from "./routing/routing-rule.ts";

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
  readonly onLateOutcome: (request: ReferenceRequest, outcome: AuthorizationOutcome) => void;
  readonly onCall: (call: ObservedCall, processor: Processor) => void;
};

export type LiveAcquirers = Pick<
  Acquirers,
  | "accepts"
  | "choose"
  | "chooseVerifier"
  | "chooseNext"
  | "acceptedNetworks"
  | "walletGateways"
  | "readGatewayToken"
  | "cascades"
  | "of"
  | "isRetired"
  | "amountUnitOf"
  | "isConnected"
> & {
  /** Returns the route that a payment of the account would take now, with the account's rules or the given ones. */
  simulate(account: AccountId, payment: RoutedPayment, rules?: CompiledRules): Route;
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
    // Records only admitted requests. A request that the circuit breaker rejected is not a failure of the acquirer. If
    // it were recorded, it would keep the circuit open.
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

  function candidatesOf(account: AccountId): readonly Candidate[] {
    return directory.routingOf(account).candidates.map(({ assigned, unavailable }) => ({
      assignment: assigned.assignment,
      unavailable,
      isCircuitOpen: activity.isCircuitOpen(assigned.connection.id),
      represents: connectors[assigned.connection.processor].represents,
      acceptsNetworkTokens: connectors[assigned.connection.processor].acceptsNetworkTokens,
      gatewayWallets: connectors[assigned.connection.processor].gateway.walletsOf(
        assigned.connection,
      ),
    }));
  }

  /** Returns the acquirer that is first on the route, or null if no acquirer accepts the payment. */
  function chooseFirst(
    account: AccountId,
    payment: RoutedPayment,
    tried?: ReadonlySet<ConnectionId>,
  ): ChosenAcquirer | null {
    const { candidates, rules } = directory.routingOf(account);
    const found = route(candidatesOf(account), rules, payment, tried);
    const first = found.order[0]?.assignment;
    const taken = candidates.find(({ assigned: { assignment } }) => assignment.id === first);
    if (!taken || taken.unavailable !== null) return null;
    const isChoice = candidates.length > 1 || rules.rules.length > 0;
    return { processor: processorOf(taken.assigned), route: isChoice ? found : null };
  }

  return {
    accepts: ({ account }, price, card) =>
      candidatesOf(account).some((candidate) => whyRejected(candidate, price, card) === null),
    choose: ({ account }, payment) => chooseFirst(account, payment),
    chooseVerifier({ account }, currency, card) {
      const price = { amountMinor: 0, currency };
      const accepting = candidatesOf(account).filter(
        (candidate) => whyRejected(candidate, price, card) === null,
      );
      // Prefers the reachable acquirers, in order of priority. The account's routing rules do not apply to card
      // verifications.
      const ordered = accepting.toSorted(
        (one, other) => Number(one.isCircuitOpen) - Number(other.isCircuitOpen),
      );
      const processors = ordered.flatMap(({ assignment }) => {
        const assigned = directory.assigned(assignment.id);
        return assigned ? [processorOf(assigned)] : [];
      });
      return processors.find(isVerifier) ?? null;
    },
    chooseNext({ account }, payment, tried) {
      const connections = tried.flatMap((id) => directory.assigned(id)?.connection.id ?? []);
      return chooseFirst(account, payment, new Set(connections))?.processor ?? null;
    },
    acceptedNetworks({ account }, price, kind) {
      const limits = candidatesOf(account)
        .filter((one) => kind === "card" || one.acceptsNetworkTokens)
        .filter((one) => whyRejected(one, price) === null)
        .map(({ assignment }) => assignment.networks);
      return allNetworks.filter((network) =>
        limits.some((networks) => networks === null || networks.includes(network)),
      );
    },
    walletGateways({ account }, payment) {
      const { candidates, rules } = directory.routingOf(account);
      const found = new Map(candidates.map(({ assigned }) => [assigned.assignment.id, assigned]));
      return digitalWallets.flatMap((wallet) => {
        const card = gatewayCard(wallet);
        const { order } = route(candidatesOf(account), rules, { ...payment, card });
        return order.map(({ assignment: id }): WalletGateway => {
          const { assignment, connection } = found.get(id) as AssignedConnection;
          const { googlePay } = connectors[connection.processor].gateway;
          const parameters = wallet === "google_pay" ? googlePay(connection, assignment) : {};
          return { wallet, assignment: id, parameters };
        });
      });
    },
    readGatewayToken({ account }, { assignment: id, wallet, price, token }) {
      const candidate = candidatesOf(account).find(({ assignment }) => assignment.id === id);
      const isTaken = candidate && whyRejected(candidate, price, gatewayCard(wallet)) === null;
      const assigned = isTaken ? directory.assigned(id) : null;
      if (!assigned) return "no_gateway";
      const { connection } = assigned;
      const read = connectors[connection.processor].gateway.readToken(wallet, token);
      // Every assignment of the connection can charge the token, so the identity does not contain the assignment.
      return read && { ...read, id: `${connection.id} ${read.id}` };
    },
    cascades: ({ account }) => directory.routingOf(account).rules.cascadeDeclines,
    simulate: (account, payment, rules) =>
      route(candidatesOf(account), rules ?? directory.routingOf(account).rules, payment),
    of({ assignmentId }: AcquiredCharge) {
      const assigned = assignmentId && directory.assigned(assignmentId);
      return assigned ? processorOf(assigned) : null;
    },
    isRetired: ({ assignmentId }) => assignmentId !== null && directory.isRetired(assignmentId),
    amountUnitOf({ assignmentId }, currency) {
      const assigned = assignmentId && directory.assigned(assignmentId);
      if (!assigned) return 1;
      const { represents } = connectors[assigned.connection.processor];
      return amountUnits.find((amountMinor) => represents({ amountMinor, currency })) ?? 1;
    },
    isConnected: ({ account }) =>
      directory.routingOf(account).candidates.some(({ unavailable }) => unavailable === null),
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

/**
 * Returns the acquirer with the connection's circuit breaker and rate limit. They apply to authorizations, card
 * verifications, captures, voids and refunds. Each merchant's payments and operations wait separately, so that its
 * payments do not delay its refunds.
 */
function limited(
  processor: Processor,
  connection: Connection,
  activity: ConnectionActivity,
): Processor {
  function limit<Request extends Pick<AdmissionRequest, "account">, Outcome>(
    kind: AdmissionRequest["kind"],
    send: (request: Request) => Promise<Outcome>,
  ) {
    return async (
      request: Request,
    ): Promise<Outcome | Rejected | { readonly kind: "not_sent" }> => {
      const admission = await activity.admit(connection, { account: request.account, kind });
      if (admission.kind === "admitted") return send(request);
      return admission.kind === "rate_limited" ? rateLimited : { kind: "not_sent" };
    };
  }
  return {
    ...processor,
    authorize: limit("payment", processor.authorize),
    authorizeGatewayToken:
      processor.authorizeGatewayToken && limit("payment", processor.authorizeGatewayToken),
    verifyCard: processor.verifyCard && limit("payment", processor.verifyCard),
    operate: limit("operation", processor.operate),
  };
}

const rateLimited: Rejected = { kind: "rejected", why: "rate_limited", acquirerErrorCode: null };
