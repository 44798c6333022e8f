import { type Line, openLine } from "../acquiring/line.ts";
import { type Overheard, overhear } from "../acquiring/overhear.ts";
import type { Processor } from "../acquiring/processor.ts";
import type { TestNetwork } from "../acquiring/test-network.ts";
import { defaultEmvTiming, openEmvServer } from "../acquiring/three-d-secure/emv-server.ts";
import type { ThreeDSServer } from "../acquiring/three-d-secure/three-d-secure-server.ts";
import type { Owner } from "../core/owner.ts";
import type { IsConnected } from "../identity/accounts/charging.ts";
import { notificationPath } from "../payments/notifications/notification.routes.ts";
import { type Doors, openDoors } from "../payments/three-d-secure/addresses.ts";
import type { Database } from "../platform/database/database.ts";
import type { AppOptions } from "./options.ts";
import type { Secrets } from "./secrets.ts";

/**
 * The acquirer and 3DS server of each mode. Test mode reaches only the test network. Live mode has the acquirer that
 * `options.liveAcquirer` returns for the account, and none until one exists.
 */
export type Acquiring = {
  readonly processorFor: (owner: Owner) => Processor | null;
  /** Returns whether `processorFor` finds an acquirer. `charges_enabled` depends on it. */
  readonly isConnected: IsConnected;
  /** The health of the acquirer. */
  readonly line: Line;
  readonly serverFor: (owner: Owner) => ThreeDSServer | null;
  /** The origins that the challenge document may frame and post to: any in live mode, the test network's in test mode. */
  readonly issuerOrigins: (owner: Owner) => readonly string[];
  /** The callback URLs of 3-D Secure. */
  readonly doors: Doors;
  readonly testNetwork: TestNetwork;
};

type Needs = {
  readonly database: Database;
  readonly secrets: Secrets;
  /** The origin of this process's loopback listener. */
  readonly internalUrl: () => string;
};

export function openAcquiring(
  { database, secrets, internalUrl }: Needs,
  options: AppOptions,
): Acquiring {
  const { clock, publicUrl, meters } = options;
  const doors = openDoors(secrets.doorKeys, {
    publicUrl,
    serverUrl: ({ livemode }) => (livemode ? publicUrl() : internalUrl()),
  });
  const testNetwork = options.openTestNetwork({
    database,
    clock,
    publicUrl,
    internalUrl,
    notificationUrl: () => `${internalUrl()}${notificationPath(secrets.notificationSecret)}`,
    isCallbackUrl: doors.isDoorUrl,
  });
  const { acquirer, directoryUrl } = testNetwork;
  const testThreeDSServer = openEmvServer({
    clock,
    directoryUrl,
    requestorUrl: publicUrl,
    timing: { ...defaultEmvTiming, ...options.threeDSecure },
  });
  const line = openLine(clock);
  const processor = overhear(acquirer, (overheard) => {
    line.hear(overheard);
    meters?.asked({ processor: acquirer.name, ...inWords(overheard) }, overheard.tookMs / 1_000);
  });
  const processorFor: Acquiring["processorFor"] = ({ account, livemode }) =>
    livemode ? (options.liveAcquirer?.(account) ?? null) : processor;
  return {
    processorFor,
    isConnected: (owner) => processorFor(owner) !== null,
    line,
    serverFor: ({ livemode }) => (livemode ? null : testThreeDSServer),
    issuerOrigins: ({ livemode }) => (livemode ? ["https:"] : [testNetwork.issuerSource()]),
    doors,
    testNetwork,
  };
}

function inWords({ question, answer }: Overheard): { question: string; answer: string } {
  return {
    question,
    answer: answer.why === undefined ? answer.kind : `${answer.kind}_${answer.why}`,
  };
}
