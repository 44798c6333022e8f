import { cancelAuthentication } from "../charges/authenticate-charge.ts";
import { readCharge } from "../charges/charge.sql.ts";
import type { ChargeDeps } from "../charges/charge-deps.ts";
import type { CheckoutSession } from "./checkout-session.ts";

/**
 * The customer closed the bank's check. The browser channel of 3-D Secure has no message for that, so the attempt
 * ends by our own word as canceled; where the bank was quicker, its result stands.
 */
export async function cancelChallenge(
  charges: ChargeDeps,
  session: CheckoutSession,
): Promise<void> {
  if (session.status !== "requires_action" || !session.chargeId) return;
  const charge = await readCharge(charges.database.read, session.owner, session.chargeId);
  if (charge?.status === "requires_action") await cancelAuthentication(charges, charge);
}
