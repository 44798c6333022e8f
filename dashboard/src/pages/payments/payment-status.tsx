import type { Charge } from "@florin/contract/charge.ts";
import { inWords, Status } from "../../components/badge.tsx";

/** A payment's status as people speak of it: money that went back matters more than that it once succeeded. */
export function PaymentStatus({ charge }: { charge: Charge }) {
  return <Status status={spokenStatus(charge)} />;
}

function spokenStatus(charge: Charge): string {
  if (charge.disputed) return "disputed";
  if (charge.refunded) return "refunded";
  if (charge.amount_refunded > 0) return "partially_refunded";
  return charge.status;
}

/** Why it stands so, in a few words; null where there is nothing to explain. */
export function whyItStands(charge: Charge): string | null {
  if (charge.decline_code) return inWords(charge.decline_code);
  if (charge.pending_reason) return inWords(charge.pending_reason);
  return null;
}
