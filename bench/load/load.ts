/** Requests to send repeatedly for some time. */
export type Load = {
  readonly url: string;
  readonly secretKey: string;
  readonly method: "GET" | "POST";
  /** Used in rotation. */
  readonly paths: readonly string[];
  /** `#` is replaced by the amount of the request's number. A body that does not begin with a brace is a form. */
  readonly body?: string;
  /** The prefix of each request's Idempotency-Key, followed by its number. No key is sent without it. */
  readonly keys?: string;
  /** The number of requests after which numbers repeat, so that all later requests are replays. */
  readonly cycle?: number;
  readonly connections: number;
  readonly seconds: number;
};

/** The result of a load. Every response that is not a success is counted as failed and excluded from the latencies. */
export type LoadResult = {
  readonly answered: number;
  /** Rejected, aborted or timed out. */
  readonly failed: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};
