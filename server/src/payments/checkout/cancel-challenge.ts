import { cancelAuthentication } from "../charges/authenticate-charge.ts";
import { readCharge } from "../charges/charge.sql.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import type { CheckoutSession } from "../sessions/checkout-session.ts";

/**
 * Cancels the authentication when the customer closes the challenge. The browser channel of 3-D Secure has no message
 * for that case. A result that the issuer has already sent wins.
 */
export async function cancelChallenge(
  charges: ChargeDeps,
  session: CheckoutSession,
): Promise<void> {
  if (session.status !== "requires_action" || !session.chargeId) return;
  const charge = await readCharge(charges.database.read, session.owner, session.chargeId);
  if (charge?.status === "requires_action") await cancelAuthentication(charges, charge);
}
