import type { Count } from "@florin/contract/list.ts";
import { useMay } from "../api/signed-in-person.ts";
import { useObject } from "../api/use-object.ts";

/**
 * Returns the numbers of open disputes and open reviews, each by the path of its page. The overview reads the same
 * numbers, so the sidebar and the overview share one request.
 */
export function useOpenCounts(): Readonly<Record<string, number>> {
  const everyMs = () => 60_000;
  const disputes = useOpenDisputes(everyMs);
  const reviews = useOpenReviews(everyMs);
  return {
    "/disputes": disputes.data?.count ?? 0,
    "/reviews": reviews.data?.count ?? 0,
  };
}

/** Counts the disputes that need a response. */
export function useOpenDisputes(againMs?: () => number) {
  const may = useMay();
  const path = may("disputes:read") ? "/disputes/count" : null;
  return useObject<Count>(path, { status: "needs_response" }, againMs ? { againMs } : {});
}

/** Counts the payments whose review is open. */
export function useOpenReviews(againMs?: () => number) {
  const may = useMay();
  const path = may("decisions:read") && may("payments:read") ? "/charges/count" : null;
  return useObject<Count>(path, { display_status: "in_review" }, againMs ? { againMs } : {});
}

/** Returns the number as text that fits into the sidebar. */
export function countText(count: number): string {
  return count < 100 ? String(count) : "99+";
}
