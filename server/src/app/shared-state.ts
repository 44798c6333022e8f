import type { Clock } from "../core/clock.ts";
import { createHub, type Hub } from "../platform/processes/hub.ts";
import { serveSlots } from "../platform/processes/slots.ts";
import { serveTokenBuckets } from "../platform/processes/token-buckets.ts";
import { serveVelocityRelay } from "../risk/velocity-relay.ts";
import { gatewayTokens } from "../vault/gateway-tokens.ts";
import { servePaymentSecrets } from "../vault/payment-secrets.ts";
import { securityCodes } from "../vault/security-codes.ts";

/** Creates the state that the processes of a service share, in the memory of the primary process. */
export function createSharedState(clock: Clock): Hub {
  const hub = createHub();
  serveTokenBuckets(hub);
  serveSlots(hub);
  servePaymentSecrets(securityCodes, hub, clock);
  servePaymentSecrets(gatewayTokens, hub, clock);
  serveVelocityRelay(hub);
  return hub;
}
