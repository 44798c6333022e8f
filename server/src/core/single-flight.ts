/**
 * Shares one call in progress among all callers (single flight). Several hanging calls would hold the connections that
 * other requests need.
 */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | null = null;
  return () => {
    underWay ??= work().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
