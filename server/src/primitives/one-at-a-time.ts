/**
 * The same work, of which there is one at a time: whoever asks while it is under way waits for that one. A few that hang
 * side by side would hold all the connections that others need.
 */
export function oneAtATime<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | null = null;
  return () => {
    underWay ??= work().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
