import type { Dispatcher, Pool } from "undici";
import type { Clock } from "../primitives/clock.ts";
import type { AttemptFailure, AttemptOutcome } from "./delivery.ts";
import { AddressNotPublic } from "./origin-pools.ts";

export type Post = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Over everything: connecting, sending, and the whole of the answer (contract §6: 20 s). */
  readonly deadlineMs: number;
  /** What the date in a Retry-After is compared with. */
  readonly clock: Clock;
};

/** What is kept of an answer's body. */
const keptBytes = 1024;
/** A body up to here is read to its end, so that the connection can be used again; a longer one is cut off. */
const readableBytes = 64 * 1024;

/** Sends one POST and says what came of it: it never throws, never follows a redirect and never asks twice. */
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
  #kept: Buffer[] = [];
  #received = 0;

  constructor({ url, deadlineMs, clock }: Post, finish: (outcome: AttemptOutcome) => void) {
    this.#url = url;
    this.#clock = clock;
    this.#finish = finish;
    this.#deadline = setTimeout(() => {
      const sentence = `The endpoint had not finished its answer after ${deadlineMs / 1000} s.`;
      this.#end({ kind: "failed", failure: "timeout", sentence });
      this.#controller?.abort(new Error(sentence));
    }, deadlineMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The deadline passed while the request waited for a connection: it must not go out now.
    if (this.#finished) controller.abort(new Error("The deadline has passed."));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    const retryAfter = headers["retry-after"];
    this.#retryAfter = typeof retryAfter === "string" ? retryAfter : null;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#received < keptBytes) this.#kept.push(chunk.subarray(0, keptBytes - this.#received));
    this.#received += chunk.length;
    if (this.#received <= readableBytes) return;
    this.#answered();
    controller.abort(new Error("The rest of the answer is not wanted."));
  }

  onResponseEnd(): void {
    this.#answered();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end({ kind: "failed", ...explain(error, this.#url) });
  }

  #answered(): void {
    this.#end({
      kind: "answered",
      status: this.#status,
      response: readable(Buffer.concat(this.#kept)),
      retryAfterMs:
        this.#retryAfter === null ? null : parseRetryAfter(this.#retryAfter, this.#clock.now()),
    });
  }

  #end(outcome: AttemptOutcome): void {
    if (this.#finished) return;
    this.#finished = true;
    clearTimeout(this.#deadline);
    this.#finish(outcome);
  }
}

/** Text only: what is not UTF-8, and control characters (Postgres keeps no NUL), become replacement characters. */
function readable(bytes: Buffer): string {
  return bytes.toString("utf8").replace(/(?![\t\n\r])\p{Cc}/gu, "\ufffd");
}

/** Seconds, or a date (RFC 9110 §10.2.3); null for anything else. */
export function parseRetryAfter(text: string, now: Date): number | null {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}

function explain(error: Error, url: URL): { failure: AttemptFailure; sentence: string } {
  if (error instanceof AddressNotPublic) {
    return { failure: "address_not_public", sentence: error.message };
  }
  const code = codeOf(error);
  switch (code) {
    case "ECONNREFUSED":
      return {
        failure: "connection_refused",
        sentence: `Nothing accepts connections at ${url.host}.`,
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { failure: "name_not_found", sentence: `The name ${url.hostname} has no address.` };
    case "UND_ERR_CONNECT_TIMEOUT":
    case "ETIMEDOUT":
      return { failure: "timeout", sentence: `No connection to ${url.host} within 3 s.` };
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return {
        failure: "connection_lost",
        sentence: `${url.host} closed the connection before it had answered.`,
      };
    default:
      if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) {
        return {
          failure: "tls_failed",
          sentence: `No secure connection to ${url.host}: ${error.message}`,
        };
      }
      if (error.name === "HTTPParserError" || /^(HPE_|UND_ERR_(RES|HEADERS))/.test(code)) {
        return {
          failure: "not_http",
          sentence: `${url.host} did not answer in HTTP: ${error.message}`,
        };
      }
      return { failure: "other", sentence: error.message };
  }
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
