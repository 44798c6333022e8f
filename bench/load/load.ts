/** Requests to send repeatedly for some time. */
export type Load = {
  readonly url: string;
  /** The secret keys of the requests, used in rotation. A key can occur several times. */
  readonly secretKeys: readonly string[];
  readonly method: "GET" | "POST";
  /** The paths of the requests, used in rotation. */
  readonly paths: readonly string[];
  /**
   * The body of each request. `#` stands for an amount that depends on the request's number. A body that does not begin
   * with `{` is sent as a form.
   */
  readonly body?: string;
  /** The prefix of each request's Idempotency-Key, before the request's number. Without a prefix, no key is sent. */
  readonly keys?: string;
  /** The number of requests after which the request numbers start again. All later requests are replays. */
  readonly cycle?: number;
  readonly connections: number;
  readonly seconds: number;
};

/** The result of a load. Every response that is not a success is counted as failed and excluded from the latencies. */
export type LoadResult = {
  readonly succeeded: number;
  /** The number of requests that were rejected, aborted or timed out. */
  readonly failed: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};
