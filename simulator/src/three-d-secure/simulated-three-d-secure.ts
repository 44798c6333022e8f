import { type Background, type Loop, startLoop } from "@florin/server/platform/jobs/loop.ts";
import type { FastifyInstance } from "fastify";
import { deleteOldTransactions } from "./challenge.sql.ts";
import { createDirectoryServer } from "./directory-server.ts";
import { createIssuerAcs } from "./issuer-acs.ts";
import { serveSimulatedBankPages, serveSimulatedNetwork } from "./simulator.routes.ts";
import {
  acsOrigin,
  defaultIssuerTiming,
  type IssuerTiming,
  simulatorPaths,
  type ThreeDSecureSimulatorDeps,
} from "./simulator-deps.ts";

/** Test mode's directory server and ACS. */
export type SimulatedThreeDSecure = {
  readonly directoryUrl: () => string;
  /** The origin of the ACS pages, as a content security policy source. */
  readonly issuerSource: () => string;
  /** Serves the ACS pages to browsers. */
  servePages(app: FastifyInstance): void;
  /** Serves the directory server and the ACS to other servers, on the loopback listener only. */
  serveNetwork(internal: FastifyInstance): void;
  startChallengeExpiry(background: Background): Loop;
  /** Deletes transactions that are older than a day. */
  startCleanup(background: Background): Loop;
};

const deleteBatchSize = 500;

export function createSimulatedThreeDSecure(
  options: Omit<ThreeDSecureSimulatorDeps, "timing"> & { readonly timing?: Partial<IssuerTiming> },
): SimulatedThreeDSecure {
  const { serverUrl, publicUrl } = options;
  const deps: ThreeDSecureSimulatorDeps = {
    ...options,
    timing: { ...defaultIssuerTiming, ...options.timing },
  };
  const acs = createIssuerAcs(deps);
  const directory = createDirectoryServer(deps);
  return {
    directoryUrl: () => `${serverUrl()}${simulatorPaths.directory}`,
    // Returns 'self' for the service's origin, because a policy cannot contain IPv6 addresses.
    issuerSource: () => {
      const origin = acsOrigin(publicUrl());
      return origin === new URL(publicUrl()).origin ? "'self'" : origin;
    },
    servePages: (app) => serveSimulatedBankPages(app, deps, acs),
    serveNetwork: (internal) => serveSimulatedNetwork(internal, { directory, acs }),
    startChallengeExpiry: acs.startChallengeExpiry,
    startCleanup: (background) =>
      startLoop({
        name: "simulated ACS: cleanup",
        everyMs: 60_000,
        background,
        work: () =>
          options.database.transaction((tx) => deleteOldTransactions(tx, deleteBatchSize)),
      }),
  };
}
