import { type AcquirerHealth, createAcquirerHealth } from "../acquiring/acquirer-health.ts";
import type { Acquirers } from "../acquiring/acquirers.ts";
import { type ObservedCall, observeCalls } from "../acquiring/observe-calls.ts";
import type { Processor } from "../acquiring/processor.ts";
import type { TestNetwork } from "../acquiring/test-network.ts";
import { createEmvServer, defaultEmvTiming } from "../acquiring/three-d-secure/emv-server.ts";
import type { ThreeDSServer } from "../acquiring/three-d-secure/three-d-secure-server.ts";
import type { Scope } from "../core/scope.ts";
import { notificationPath } from "../payments/notifications/notification.routes.ts";
import { type CallbackUrls, createCallbackUrls } from "../payments/three-d-secure/callback-urls.ts";
import type { Database } from "../platform/database/database.ts";
import type { AppOptions } from "./options.ts";
import type { Secrets } from "./secrets.ts";

/**
 * The acquirer and 3DS server of each mode. Test mode reaches only the test network. Live mode has the acquirer that
 * `options.liveAcquirer` returns for the account, and none until one exists.
 */
export type Acquiring = {
  readonly acquirers: Acquirers;
  /** The health of the acquirer. */
  readonly acquirerHealth: AcquirerHealth;
  readonly serverFor: (scope: Scope) => ThreeDSServer | null;
  /** The origins that the challenge document may frame and post to: any in live mode, the test network's in test mode. */
  readonly issuerOrigins: (scope: Scope) => readonly string[];
  /** The callback URLs of 3-D Secure. */
  readonly callbackUrls: CallbackUrls;
  readonly testNetwork: TestNetwork;
};

type Needs = {
  readonly database: Database;
  readonly secrets: Secrets;
  /** The origin of this process's loopback listener. */
  readonly internalUrl: () => string;
};

export function createAcquiring(
  { database, secrets, internalUrl }: Needs,
  options: AppOptions,
): Acquiring {
  const { clock, publicUrl, meters } = options;
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
  const processor = observeCalls(acquirer, (call) => {
    acquirerHealth.record(call);
    meters?.acquirerResponded(
      { processor: acquirer.name, operation: call.operation, result: resultOf(call) },
      call.durationMs / 1_000,
    );
  });
  const find = ({ account, livemode }: Scope): Processor | null =>
    livemode ? (options.liveAcquirer?.(account) ?? null) : processor;
  return {
    acquirers: {
      choose: find,
      of: ({ scope }) => find(scope),
      payerOf: find,
      settlementsOf: (scope) => {
        const { name, settlementFile } = find(scope) ?? {};
        return name && settlementFile ? { name, settlementFile } : null;
      },
      isConnected: (scope) => find(scope) !== null,
    },
    acquirerHealth,
    serverFor: ({ livemode }) => (livemode ? null : testThreeDSServer),
    issuerOrigins: ({ livemode }) => (livemode ? ["https:"] : [testNetwork.issuerSource()]),
    callbackUrls,
    testNetwork,
  };
}

/** Returns the result as a label: the kind of the response and, for an unknown outcome, the reason. */
function resultOf({ response }: ObservedCall): string {
  return response.why === undefined ? response.kind : `${response.kind}_${response.why}`;
}
