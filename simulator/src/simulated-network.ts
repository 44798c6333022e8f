import type { TestNetwork, TestNetworkDeps } from "@florin/server/acquiring/test-network.ts";
import { postNotification } from "./post-notification.ts";
import {
  createSimulator,
  defaultTiming,
  type Simulator,
  type SimulatorTiming,
} from "./simulator.ts";
import { openSimulatedThreeDSecure } from "./three-d-secure/simulated-three-d-secure.ts";
import type { IssuerTiming } from "./three-d-secure/simulator-deps.ts";

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
    onNotice: (notice) => postNotification(notificationUrl(), { type: "charge", notice }),
    onOperation: (notice) => postNotification(notificationUrl(), { type: "operation", notice }),
    onDispute: (notice) => postNotification(notificationUrl(), { type: "dispute", notice }),
  });
  const authentication = openSimulatedThreeDSecure({
    database,
    clock,
    serverUrl: internalUrl,
    publicUrl,
    isCallbackUrl,
    timing: threeDSecure,
  });
  return {
    acquirer: simulator,
    directoryUrl: authentication.directoryUrl,
    issuerSource: authentication.issuerSource,
    servePages: authentication.servePages,
    serveNetwork: authentication.serveNetwork,
    start: (background) => [
      simulator.startNotices(background),
      authentication.startPatience(background),
      authentication.startForgetting(background),
    ],
    close: simulator.close,
  };
}
