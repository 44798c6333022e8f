import { type AcquirerHealth, createAcquirerHealth } from "../acquiring/acquirer-health.ts";
import { type Acquirers, isVerifier } from "../acquiring/acquirers.ts";
import { settlementsOfReports } from "../acquiring/connections/settlements-of-reports.ts";
import { createLiveAcquirers, type LiveAcquirers } from "../acquiring/live-acquirers.ts";
import { allNetworks } from "../acquiring/networks.ts";
import { type ObservedCall, observeCalls } from "../acquiring/observe-calls.ts";
import type { AuthorizationOutcome } from "../acquiring/outcome.ts";
import type { Processor, ProcessorName, ReferenceRequest } from "../acquiring/processor.ts";
import { defaultAcquirerTimeoutMs, type TestNetwork } from "../acquiring/test-network.ts";
import { createEmvServer, defaultEmvTiming } from "../acquiring/three-d-secure/emv-server.ts";
import type { ThreeDSServer } from "../acquiring/three-d-secure/three-d-secure-server.ts";
import type { Scope } from "../core/scope.ts";
import { systemTimers } from "../core/timers.ts";
import { notificationPath } from "../payments/notifications/notification.routes.ts";
import { type CallbackUrls, createCallbackUrls } from "../payments/three-d-secure/callback-urls.ts";
import type { Database } from "../platform/database/database.ts";
import { activeTraceId } from "../platform/tracing/active-span.ts";
import type { Connections } from "./connections.ts";
import type { AppOptions } from "./options.ts";
import type { Secrets } from "./secrets.ts";

/**
 * The acquirers and the 3DS server of each mode. Test mode calls only the test network. In live mode, the account's
 * assignments select the acquirer.
 */
export type Acquiring = {
  readonly acquirers: Acquirers;
  /** Receives the outcomes of live acquirers that arrived after the timeout. */
  readonly lateOutcomes: LateOutcomes;
  /** Returns the route that a live payment of an account would take. */
  readonly simulateRoute: LiveAcquirers["simulate"];
  /** Closes the HTTP connections to live acquirers. */
  readonly closeLive: () => Promise<void>;
  readonly acquirerHealth: AcquirerHealth;
  readonly serverFor: (scope: Scope) => ThreeDSServer | null;
  /**
   * The origins that the challenge document may frame and post to. In live mode these are all HTTPS origins and the
   * origins in `options.acquirerOrigins`. In test mode, only the origin of the test network is allowed.
   */
  readonly issuerOrigins: (scope: Scope) => readonly string[];
  /** The callback URLs of 3-D Secure. */
  readonly callbackUrls: CallbackUrls;
  readonly testNetwork: TestNetwork;
};

/**
 * The receiver of late outcomes. `receive` is set after the payments module, which records the outcomes, has been
 * created.
 */
export type LateOutcomes = {
  receive: (request: ReferenceRequest, outcome: AuthorizationOutcome) => void;
};

type Needs = {
  readonly database: Database;
  readonly connections: Connections;
  readonly secrets: Secrets;
  /** The origin of this process's loopback listener. */
  readonly internalUrl: () => string;
};

export function createAcquiring(
  { database, connections, secrets, internalUrl }: Needs,
  options: AppOptions,
): Acquiring {
  const {
    clock,
    publicUrl,
    meters,
    tracing,
    liveAcquirer = () => null,
    acquirerOrigins = {},
  } = options;
  const callbackUrls = createCallbackUrls(secrets.callbackKeys, {
    publicUrl,
    serverUrl: ({ livemode }) => (livemode ? publicUrl() : internalUrl()),
  });
  const testNetwork = options.createTestNetwork({
    database,
    clock,
    publicUrl,
    internalUrl,
    notificationUrl: () => `${internalUrl()}${notificationPath(secrets.notificationSecret)}`,
    isCallbackUrl: callbackUrls.isCallbackUrlOf,
  });
  const { acquirer, directoryUrl } = testNetwork;
  const testThreeDSServer = createEmvServer({
    clock,
    directoryUrl,
    requestorUrl: publicUrl,
    timing: { ...defaultEmvTiming, ...options.threeDSecure },
  });
  const acquirerHealth = createAcquirerHealth(clock);
  const observe = (call: ObservedCall, processor: ProcessorName) => {
    const { operation, durationMs, response } = call;
    const result = resultOf(call);
    const isUnknown = response.kind === "unknown";
    tracing?.recordAcquirerCall({ processor, operation, result, isUnknown, durationMs });
    meters?.acquirerResponded(
      { processor, operation, result },
      durationMs / 1_000,
      activeTraceId(),
    );
  };
  const simulator = observeCalls(acquirer, (call) => {
    acquirerHealth.record(call);
    observe(call, acquirer.name);
  });
  const lateOutcomes: LateOutcomes = { receive: () => {} };
  const live = createLiveAcquirers({
    directory: connections.directory,
    activity: connections.activity,
    clock,
    timers: systemTimers,
    random: options.random,
    idempotencySecret: secrets.idempotencySecret,
    origins: acquirerOrigins,
    responseTimeoutMs: options.acquirerTimeoutMs ?? defaultAcquirerTimeoutMs,
    defaultReturnUrl: publicUrl,
    onLateOutcome: (request, outcome) => lateOutcomes.receive(request, outcome),
    onCall: (call, { name }) => observe(call, name),
  });
  /**
   * Returns the simulator in test mode. In live mode, returns the acquirer that `options.liveAcquirer` injects, or
   * null.
   */
  const injected = ({ account, livemode }: Scope): Processor | null =>
    livemode ? liveAcquirer(account) : simulator;
  return {
    acquirers: {
      accepts: (scope, ...charge) => injected(scope) !== null || live.accepts(scope, ...charge),
      choose(scope, payment) {
        const processor = injected(scope);
        return processor ? { processor, route: null } : live.choose(scope, payment);
      },
      chooseVerifier(scope, currency, card) {
        const processor = injected(scope);
        if (processor === null) return live.chooseVerifier(scope, currency, card);
        return isVerifier(processor) ? processor : null;
      },
      chooseNext: (scope, ...charge) =>
        injected(scope) ? null : live.chooseNext(scope, ...charge),
      acceptedNetworks: (scope, ...payment) =>
        injected(scope) ? allNetworks : live.acceptedNetworks(scope, ...payment),
      // The simulator needs no gateway: in test mode, a wallet encrypts its tokens to the account's own key.
      walletGateways: (scope, payment) =>
        injected(scope) ? [] : live.walletGateways(scope, payment),
      readGatewayToken: (scope, token) =>
        injected(scope) ? "no_gateway" : live.readGatewayToken(scope, token),
      cascades: (scope) => injected(scope) === null && live.cascades(scope),
      of: (charge) => injected(charge.scope) ?? live.of(charge),
      isRetired: (charge) => injected(charge.scope) === null && live.isRetired(charge),
      amountUnitOf: (charge, currency) =>
        injected(charge.scope) ? 1 : live.amountUnitOf(charge, currency),
      payerOf: injected,
      settlementsOf(scope) {
        const { name, settlementFile } = injected(scope) ?? {};
        if (name && settlementFile) return { name, settlesWithinMs: 0, settlementFile };
        const { account, livemode } = scope;
        const processors = livemode ? connections.directory.processorsOf(account) : [];
        return processors.length > 0
          ? settlementsOfReports(database.read, clock, processors)
          : null;
      },
      isConnected: (scope) => injected(scope) !== null || live.isConnected(scope),
    },
    lateOutcomes,
    simulateRoute: live.simulate,
    closeLive: live.close,
    acquirerHealth,
    serverFor: ({ livemode }) => (livemode ? null : testThreeDSServer),
    issuerOrigins: ({ livemode }) =>
      livemode ? ["https:", ...Object.values(acquirerOrigins)] : [testNetwork.issuerSource()],
    callbackUrls,
    testNetwork,
  };
}

/** Returns the result as a label: the kind of the response and, for an unknown outcome, the reason. */
function resultOf({ response }: ObservedCall): string {
  return response.why === undefined ? response.kind : `${response.kind}_${response.why}`;
}
