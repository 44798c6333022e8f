import type { Database } from "../database/database.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Processor } from "../processors/processor.ts";
import { openSimulator, type Simulator, usualTiming } from "../processors/simulator/simulator.ts";
import {
  openSimulatedCardWorld,
  type SimulatedCardWorld,
} from "../processors/simulator/three-d-secure/simulated-card-world.ts";
import type { ThreeDSServer } from "../processors/three-d-secure/three-d-secure-server.ts";
import { type DoorKeys, type Doors, openDoors } from "../three-d-secure/addresses.ts";
import { meteredProcessor } from "./metered-processor.ts";
import type { Notices } from "./notices.ts";
import type { AppOptions } from "./options.ts";

/**
 * Whom each mode may ask about a card. Test mode reaches nothing but the simulator (contract §7), and live mode nobody:
 * no live acquirer and no live 3DS server exist yet.
 */
export type CardWorld = {
  readonly processorFor: (owner: Owner) => Processor | null;
  readonly serverFor: (owner: Owner) => ThreeDSServer | null;
  /** Whom the challenge document may frame and post to: any bank in live mode, the simulator's in test mode. */
  readonly bankOrigins: (owner: Owner) => readonly string[];
  /** Where the card world comes back to us. */
  readonly doors: Doors;
  /** Test mode's acquirer. */
  readonly simulator: Simulator;
  /** Test mode's directory server and bank. */
  readonly simulated: SimulatedCardWorld;
};

type Needs = {
  readonly database: Database;
  readonly doorKeys: DoorKeys;
  readonly notices: Notices;
};

export function openCardWorld(
  { database, doorKeys, notices }: Needs,
  options: AppOptions,
): CardWorld {
  const { clock, publicUrl, localUrl = publicUrl, meters } = options;
  const simulator = openSimulator({
    database,
    clock,
    timing: { ...usualTiming, ...options.acquirer },
    ...notices.door,
  });
  const processor = meters ? meteredProcessor(simulator, meters) : simulator;
  const simulated = openSimulatedCardWorld({
    database,
    clock,
    serverUrl: localUrl,
    publicUrl,
    ...(options.threeDSecure && { timing: options.threeDSecure }),
  });
  return {
    processorFor: ({ livemode }) => (livemode ? null : processor),
    serverFor: ({ livemode }) => (livemode ? null : simulated.threeDSServer),
    bankOrigins: ({ livemode }) => (livemode ? ["https:"] : [simulated.bankSource()]),
    doors: openDoors(doorKeys, {
      publicUrl,
      serverUrl: ({ livemode }) => (livemode ? publicUrl() : localUrl()),
    }),
    simulator,
    simulated,
  };
}
