import type { Owner } from "../primitives/owner.ts";
import type { ThreeDSServer } from "../processors/three-d-secure/three-d-secure-server.ts";
import type { AddressesOf } from "./addresses.ts";
import type { AdvanceDeps } from "./advance.ts";

/** What the steps of an authentication need of the world. */
export type ThreeDSecureDeps = AdvanceDeps & {
  /** The 3DS server for this world; null where none is configured (live mode, so far). */
  readonly serverFor: (owner: Owner) => ThreeDSServer | null;
  readonly addressesOf: AddressesOf;
};
