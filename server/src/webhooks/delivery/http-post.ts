import type { Dispatcher, Pool } from "undici";
import type { Clock } from "../../core/clock.ts";
import { type AttemptFailure, explainFailure } from "./attempt-failure.ts";
import type { AttemptOutcome } from "./delivery.ts";

export type Post = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The deadline of connecting, sending and receiving the whole response. */
  readonly deadlineMs: number;
  /** The clock for evaluating a Retry-After date. */
  readonly clock: Clock;
};

/** The maximum number of bytes of a response body that are stored. */
const maxStoredBytes = 1024;

/**
 * The maximum size of a body that is read to its end, so that the connection can be reused. A receiver has no reason to
 * send a larger one.
 */
const readableBytes = 1024 * 1024;

/**
 * The maximum number of chunks of a body. Each chunk takes CPU time, so a body of a megabyte in chunks of one byte would
 * delay all other deliveries.
 */
const maxChunks = 4_096;

/** The maximum number of 1xx responses. A receiver usually sends at most a 100 and a 103. */
const maxInterimResponses = 10;

/** Sends one POST and returns its outcome. Never throws, never follows a redirect and never retries. */
export function post(pool: Pool, request: Post): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    const exchange = new Exchange(request, resolve);
    pool.dispatch(
      {
        method: "POST",
        path: `${request.url.pathname}${request.url.search}`,
        headers: request.headers,
        body: request.body,
      },
      exchange,
    );
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  #finish: (outcome: AttemptOutcome) => void;
  #finished = false;
  #url: URL;
  #clock: Clock;
  #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #retryAfter: string | null = null;
  #encoding: string | null = null;
  #chunks: Buffer[] = [];
  #received = 0;
  #receivedChunks = 0;
  #interim = 0;

  constructor({ url, deadlineMs, clock }: Post, finish: (outcome: AttemptOutcome) => void) {
    this.#url = url;
    this.#clock = clock;
    this.#finish = finish;
    this.#deadline = setTimeout(() => {
      const message =
        this.#status < 200
          ? `The endpoint did not respond within ${deadlineMs / 1000} s. Respond before you do slow work.`
          : `The endpoint returned status ${this.#status}, but its body was not complete within ${deadlineMs / 1000} s.`;
      this.#giveUp({ code: "too_slow", message });
    }, deadlineMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The deadline passed while the request waited for a connection. The request must not be sent now.
    if (this.#finished) controller.abort(new Error("The deadline has passed."));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    if (status < 200 && ++this.#interim > maxInterimResponses) {
      const message = `The endpoint sent more than ${maxInterimResponses} interim responses (${status}) and no final response. Return a final response.`;
      this.#giveUp({ code: "not_http", message });
    }
    this.#retryAfter = only(headers["retry-after"]);
    this.#encoding = only(headers["content-encoding"]);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#received < maxStoredBytes) {
      this.#chunks.push(Buffer.from(chunk.subarray(0, maxStoredBytes - this.#received)));
    }
    this.#received += chunk.length;
    this.#receivedChunks += 1;
    if (this.#received <= readableBytes && this.#receivedChunks <= maxChunks) return;
    const size =
      this.#received > readableBytes ? "more than 1 MiB" : `more than ${maxChunks} chunks`;
    const message = `The endpoint returned status ${this.#status} with a body of ${size}. Return an empty body.`;
    this.#giveUp({ code: "body_too_large", message });
  }

  onResponseEnd(): void {
    this.#end({
      kind: "responded",
      status: this.#status,
      response: this.#response(),
      retryAfterMs:
        this.#retryAfter === null ? null : parseRetryAfter(this.#retryAfter, this.#clock.now()),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end({ kind: "failed", failure: explainFailure(error, this.#url) });
  }

  /** Returns the body as text. A compressed body is not decompressed, and only its size is shown. */
  #response(): string {
    if (this.#encoding !== null && this.#encoding !== "identity" && this.#received > 0) {
      return `(${this.#received} bytes, content-encoding ${this.#encoding.slice(0, 40)})`;
    }
    return readable(Buffer.concat(this.#chunks));
  }

  #giveUp(failure: AttemptFailure): void {
    this.#end({ kind: "failed", failure });
    this.#controller?.abort(new Error(failure.message));
  }

  #end(outcome: AttemptOutcome): void {
    if (this.#finished) return;
    this.#finished = true;
    clearTimeout(this.#deadline);
    this.#finish(outcome);
  }
}

function only(header: string | string[] | undefined): string | null {
  return typeof header === "string" ? header : null;
}

/**
 * Returns the bytes as text. Invalid UTF-8 and control characters (Postgres stores no NUL) become replacement
 * characters.
 */
function readable(bytes: Buffer): string {
  const text = bytes.toString("utf8").replace(/(?![\t\n\r])\p{Cc}/gu, "\ufffd");
  // A replacement character takes three bytes, so the text can be longer than the received kilobyte.
  if (Buffer.byteLength(text) <= maxStoredBytes) return text;
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxStoredBytes), { stream: true });
}

/** Parses seconds or a date (RFC 9110 §10.2.3). Returns null for anything else. */
function parseRetryAfter(text: string, now: Date): number | null {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
