import { type Line, openLine } from "../acquiring/line.ts";
import { type Overheard, overhear } from "../acquiring/overhear.ts";
import type { Processor } from "../acquiring/processor.ts";
import { openSimulator, type Simulator, usualTiming } from "../acquiring/simulator/simulator.ts";
import {
  openSimulatedCardWorld,
  type SimulatedCardWorld,
} from "../acquiring/simulator/three-d-secure/simulated-card-world.ts";
import type { ThreeDSServer } from "../acquiring/three-d-secure/three-d-secure-server.ts";
import type { Owner } from "../core/owner.ts";
import type { IsConnected } from "../identity/accounts/charging.ts";
import { type DoorKeys, type Doors, openDoors } from "../payments/three-d-secure/addresses.ts";
import type { Database } from "../platform/database/database.ts";
import type { Notices } from "./notices.ts";
import type { AppOptions } from "./options.ts";

/**
 * The acquirer and 3DS server of each mode. Test mode reaches only the simulator. Live mode has the acquirer that
 * `options.liveAcquirer` returns for the account, and none until one exists.
 */
export type CardWorld = {
  readonly processorFor: (owner: Owner) => Processor | null;
  /** Returns whether `processorFor` finds an acquirer. `charges_enabled` depends on it. */
  readonly isConnected: IsConnected;
  /** The health of the acquirer. */
  readonly line: Line;
  readonly serverFor: (owner: Owner) => ThreeDSServer | null;
  /** The origins that the challenge document may frame and post to: any in live mode, the simulator's in test mode. */
  readonly bankOrigins: (owner: Owner) => readonly string[];
  /** The callback URLs of 3-D Secure. */
  readonly doors: Doors;
  /** Test mode's acquirer. */
  readonly simulator: Simulator;
  /** Test mode's directory server and issuer. */
  readonly simulated: SimulatedCardWorld;
};

type Needs = {
  readonly database: Database;
  readonly doorKeys: DoorKeys;
  readonly notices: Notices;
  /** The origin of this process's loopback listener. */
  readonly internalUrl: () => string;
};

export function openCardWorld(
  { database, doorKeys, notices, internalUrl }: Needs,
  options: AppOptions,
): CardWorld {
  const { clock, publicUrl, meters } = options;
  const simulator = openSimulator({
    database,
    clock,
    timing: { ...usualTiming, ...options.acquirer },
    ...notices.door,
  });
  const line = openLine(clock);
  const processor = overhear(simulator, (overheard) => {
    line.hear(overheard);
    meters?.asked({ processor: simulator.name, ...inWords(overheard) }, overheard.tookMs / 1_000);
  });
  const doors = openDoors(doorKeys, {
    publicUrl,
    serverUrl: ({ livemode }) => (livemode ? publicUrl() : internalUrl()),
  });
  const simulated = openSimulatedCardWorld({
    database,
    clock,
    serverUrl: internalUrl,
    publicUrl,
    isCallbackUrl: doors.isDoorUrl,
    ...(options.threeDSecure && { timing: options.threeDSecure }),
  });
  const processorFor: CardWorld["processorFor"] = ({ account, livemode }) =>
    livemode ? (options.liveAcquirer?.(account) ?? null) : processor;
  return {
    processorFor,
    isConnected: (owner) => processorFor(owner) !== null,
    line,
    serverFor: ({ livemode }) => (livemode ? null : simulated.threeDSServer),
    bankOrigins: ({ livemode }) => (livemode ? ["https:"] : [simulated.bankSource()]),
    doors,
    simulator,
    simulated,
  };
}

function inWords({ question, answer }: Overheard): { question: string; answer: string } {
  return {
    question,
    answer: answer.why === undefined ? answer.kind : `${answer.kind}_${answer.why}`,
  };
}
