import type { Charge } from "@florin/contract/charge.ts";
import { displayStatusOf } from "@florin/contract/display-status.ts";
import type { ListOf } from "../../api/api.ts";
import { useObject } from "../../api/use-object.ts";
import { inWords, Status } from "../../components/badge.tsx";

/** A payment's status in the words of the filter. */
export function PaymentStatus({ charge }: { charge: Charge }) {
  const isInReview = useIsInReview(charge);
  return <Status status={displayStatusOf(charge, isInReview)} />;
}

/**
 * Returns whether the payment waits for a review. An approved review captures the payment, unless the merchant captures
 * it manually. Only the list of open reviews shows whether such a payment is still in review.
 */
function useIsInReview({ id, status, outcome, capture_method }: Charge): boolean {
  const mayBe = status === "authorized" && outcome.decision === "review";
  const isManual = mayBe && capture_method === "manual";
  const { data } = useObject<ListOf<Charge>>(isManual ? "/charges" : null, {
    in_review: true,
    limit: 100,
  });
  return isManual ? (data?.data.some((charge) => charge.id === id) ?? false) : mayBe;
}

/** Returns the decline reason or the pending reason as readable text, or null. */
export function statusReason(charge: Charge): string | null {
  if (charge.decline_code) return inWords(charge.decline_code);
  if (charge.pending_reason) return inWords(charge.pending_reason);
  return null;
}
