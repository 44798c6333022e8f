/**
 * Returns a function that shares one call of `work` in progress among all its callers (single flight). Otherwise
 * several hanging calls would hold the connections that other requests need.
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
