import type { ThreeDSServer } from "../../acquiring/three-d-secure/three-d-secure-server.ts";
import type { Scope } from "../../core/scope.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import type { AdvanceDeps } from "./advance-authentication.ts";
import type { CallbackUrls } from "./callback-urls.ts";

/** The dependencies of authentications. */
export type ThreeDSecureDeps = AdvanceDeps & {
  /** Returns the 3DS server for a scope, or null if none is configured, as in live mode at present. */
  readonly serverFor: (scope: Scope) => ThreeDSServer | null;
  readonly callbackUrls: CallbackUrls;
  /**
   * Returns the origins that the challenge document may frame and post to: every HTTPS origin in live mode, and the
   * simulator's ACS in test mode.
   */
  readonly issuerOrigins: (scope: Scope) => readonly string[];
};

/** The dependencies of operations that continue a charge after its authentication. */
export type AuthenticationDeps = ChargeDeps & { readonly threeDSecure: ThreeDSecureDeps };
