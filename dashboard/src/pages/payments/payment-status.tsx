import type { Charge } from "@florin/contract/charge.ts";
import { displayStatusOf } from "@florin/contract/display-status.ts";
import type { ListOf } from "../../api/api.ts";
import { useObject } from "../../api/use-object.ts";
import { Status } from "../../components/badge.tsx";

/** A payment's status in the words of the filter. */
export function PaymentStatus({ charge }: { charge: Charge }) {
  const mayBeInReview = charge.status === "authorized" && charge.outcome.decision === "review";
  if (mayBeInReview && charge.capture_method === "manual") return <ManualStatus charge={charge} />;
  return <Status status={displayStatusOf(charge, mayBeInReview)} />;
}

/**
 * The status of a payment that the merchant captures manually. Approving its review does not capture it, so its status
 * is the same during and after the review. Reads the list of open reviews to find out whether the payment is still in
 * review.
 */
function ManualStatus({ charge }: { charge: Charge }) {
  const { data } = useObject<ListOf<Charge>>("/charges", { in_review: true, limit: 100 });
  const isInReview = data?.data.some(({ id }) => id === charge.id) ?? false;
  return <Status status={displayStatusOf(charge, isInReview)} />;
}
