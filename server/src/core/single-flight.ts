/**
 * Returns a function that calls `work`. Callers during a call in progress share its result (single flight). Without
 * this, several hanging calls would hold the connections that other requests need.
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
