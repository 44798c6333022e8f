/** Requests to be sent, over and over, for a while. */
export type Load = {
  readonly url: string;
  readonly secretKey: string;
  readonly method: "GET" | "POST";
  /** Taken in turn. */
  readonly paths: readonly string[];
  /** `#` becomes the amount of the request's number. A body that does not begin with a brace is a form. */
  readonly body?: string;
  /** Each request has its own Idempotency-Key: this and its number. Without it none has one. */
  readonly keys?: string;
  /** Numbers start again after this many requests, so that from then on all are replays. */
  readonly cycle?: number;
  readonly connections: number;
  readonly seconds: number;
};

/** What came of it. Every answer that is not a success is counted, and none is hidden in an average. */
export type LoadResult = {
  readonly answered: number;
  /** Refused, broken off or timed out. */
  readonly failed: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};
