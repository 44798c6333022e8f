import type { ListOf } from "../api/api.ts";
import { useMay } from "../api/me.ts";
import { useObject } from "../api/use-object.ts";

const maxCounted = 100;

/**
 * Returns the numbers of open disputes and reviews, by the path of their page. The overview reads the same lists, so
 * both share one request.
 */
export function useOpenCounts(): Readonly<Record<string, number>> {
  const may = useMay();
  const everyMs = () => 60_000;
  const disputes = useObject<ListOf<unknown>>(
    may("disputes:read") ? "/disputes" : null,
    { limit: maxCounted, status: "needs_response" },
    { againMs: everyMs },
  );
  const reviews = useObject<ListOf<unknown>>(
    may("decisions:read") ? "/decisions" : null,
    { limit: maxCounted, review: "open" },
    { againMs: everyMs },
  );
  return {
    "/disputes": disputes.data?.data.length ?? 0,
    "/reviews": reviews.data?.data.length ?? 0,
  };
}

/** Returns the number as text. The service returns at most 100 entries of a list. */
export function countText(count: number): string {
  return count < maxCounted ? String(count) : "99+";
}
