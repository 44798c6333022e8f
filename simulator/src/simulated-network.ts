import type {
  ChargeNotification,
  DisputeNotification,
  OperationNotification,
} from "@florin/server/acquiring/processor.ts";
import type { TestNetwork, TestNetworkDeps } from "@florin/server/acquiring/test-network.ts";
import {
  createSimulator,
  defaultTiming,
  type Simulator,
  type SimulatorTiming,
} from "./simulator.ts";
import { createSimulatedThreeDSecure } from "./three-d-secure/simulated-three-d-secure.ts";
import type { IssuerTiming } from "./three-d-secure/simulator-deps.ts";
import { createSimulatedWallet } from "./wallet/simulated-wallet.ts";

export type SimulatedNetwork = TestNetwork & { readonly acquirer: Simulator };

export type SimulationTiming = {
  readonly acquirer?: Partial<SimulatorTiming>;
  readonly threeDSecure?: Partial<IssuerTiming>;
};

/** Creates the acquirer, the directory server and the ACS of test mode for one server process. */
export function createSimulatedNetwork(
  { database, clock, publicUrl, internalUrl, notificationUrl, isCallbackUrl }: TestNetworkDeps,
  { acquirer = {}, threeDSecure = {} }: SimulationTiming = {},
): SimulatedNetwork {
  const simulator = createSimulator({
    database,
    clock,
    timing: { ...defaultTiming, ...acquirer },
    onNotification: (notification) =>
      postNotification(notificationUrl(), { type: "charge", notification }),
    onOperation: (notification) =>
      postNotification(notificationUrl(), { type: "operation", notification }),
    onDispute: (notification) =>
      postNotification(notificationUrl(), { type: "dispute", notification }),
  });
  const authentication = createSimulatedThreeDSecure({
    database,
    clock,
    serverUrl: internalUrl,
    publicUrl,
    isCallbackUrl,
    timing: threeDSecure,
  });
  const wallet = createSimulatedWallet(clock);
  return {
    acquirer: simulator,
    wallet,
    directoryUrl: authentication.directoryUrl,
    issuerSource: authentication.issuerSource,
    servePages(app) {
      authentication.servePages(app);
      wallet.servePages(app);
    },
    serveNetwork: authentication.serveNetwork,
    start: (background) => [
      simulator.startNotifications(background),
      authentication.startChallengeExpiry(background),
      authentication.startCleanup(background),
    ],
    close: simulator.close,
  };
}

type Notification =
  | { readonly type: "charge"; readonly notification: ChargeNotification }
  | { readonly type: "operation"; readonly notification: OperationNotification }
  | { readonly type: "dispute"; readonly notification: DisputeNotification };

/** The timeout of a notification. */
const confirmWithinMs = 10_000;

/** Sends a notification to the service, as acquirers do. Throws unless the response is 2xx. */
async function postNotification(url: string, notification: Notification): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(notification),
    signal: AbortSignal.timeout(confirmWithinMs),
  });
  await response.body?.cancel();
  if (!response.ok)
    throw new Error(`The service responded to a notification with ${response.status}`);
}
