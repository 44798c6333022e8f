import type { ThreeDSServer } from "../../acquiring/three-d-secure/three-d-secure-server.ts";
import type { Scope } from "../../core/scope.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import type { AdvanceDeps } from "./advance.ts";
import type { CallbackUrls } from "./callback-urls.ts";

/** Dependencies of the steps of an authentication. */
export type ThreeDSecureDeps = AdvanceDeps & {
  /** Returns the 3DS server for a scope, or null if none is configured (live mode at present). */
  readonly serverFor: (scope: Scope) => ThreeDSServer | null;
  readonly callbackUrls: CallbackUrls;
  /**
   * Returns the origins that the challenge document may frame and post to: any issuer in live mode, the simulator's in
   * test mode.
   */
  readonly issuerOrigins: (scope: Scope) => readonly string[];
};

/** The dependencies of authentications and of the charges that they continue. */
export type AuthenticationDeps = ChargeDeps & { readonly threeDSecure: ThreeDSecureDeps };
