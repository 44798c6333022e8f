import { strict as assert } from "node:assert";
import { type Dispatcher, errors, Pool } from "undici";
import { ByteCollector } from "../core/byte-collector.ts";
import { atEndOfTurn } from "../core/end-of-turn.ts";
import { isLoopback } from "../core/loopback.ts";
import type { Timers } from "../core/timers.ts";
import type { HttpResponse, UnknownReason } from "./outcome.ts";

/**
 * The HTTP client of one acquirer. It sends requests to this acquirer only: it does not follow redirects, and requires
 * at least TLS 1.2 with a verified certificate.
 */
export type AcquirerClient = {
  /** Sends one request. Never throws: a failure is classified by whether the acquirer can have received the request. */
  send(request: AcquirerRequest): Promise<SendResult>;
  /** Waits for the requests in progress, and closes the connections. */
  close(): Promise<void>;
};

export type AcquirerRequest = {
  readonly method: "GET" | "POST" | "PUT";
  /** The path with the query, below the origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
  /** A shorter response timeout that replaces the client's. */
  readonly timeoutMs?: number;
  /**
   * Called with a response that arrives after `send` has timed out and returned `unknown`. Such late responses resolve
   * most unknown outcomes.
   */
  readonly onLateResponse?: (response: HttpResponse) => void;
};

export type SendResult =
  | { readonly kind: "response"; readonly response: HttpResponse }
  /**
   * The request was not written to a connection, so the acquirer cannot have received it. It can be sent to another
   * acquirer.
   */
  | { readonly kind: "not_sent"; readonly problem: string }
  /** The acquirer may have received the request, and money may have moved. */
  | { readonly kind: "unknown"; readonly why: UnknownReason; readonly problem: string };

export type AcquirerClientOptions = {
  /** `https://host`. Plain HTTP is accepted only for a loopback address, where an acquirer is simulated. */
  readonly origin: string;
  readonly timers: Timers;
  readonly timeouts?: Partial<AcquirerTimeouts>;
  /** The maximum size of a response. Defaults to 1 MiB. */
  readonly maxBodyBytes?: number;
  /** The certificate authority, in PEM. Defaults to the system's certificate authorities. */
  readonly certificateAuthority?: string;
};

export type AcquirerTimeouts = {
  readonly connectMs: number;
  /**
   * The response timeout. It starts at the call of `send`, so it includes the time to connect. It must be shorter than
   * the 28 s limit of a merchant's request.
   */
  readonly responseMs: number;
  /**
   * The timeout of a late response. It starts at the call of `send`. A response that arrives between the two timeouts
   * is passed to `onLateResponse`.
   */
  readonly lateResponseMs: number;
};

const defaultAcquirerTimeouts: AcquirerTimeouts = {
  connectMs: 3_000,
  responseMs: 20_000,
  lateResponseMs: 60_000,
};

/** The maximum number of connections. Further requests wait until a connection is free. */
const maxConnections = 2_048;

/** The default maximum size of a response. A typical response is a few kilobytes. */
const defaultMaxBodyBytes = 1024 * 1024;

export function createAcquirerClient(options: AcquirerClientOptions): AcquirerClient {
  const { origin, timers, certificateAuthority, maxBodyBytes = defaultMaxBodyBytes } = options;
  const timeouts = { ...defaultAcquirerTimeouts, ...options.timeouts };
  const { protocol, hostname } = new URL(origin);
  assert(
    protocol === "https:" || (protocol === "http:" && isLoopback(hostname)),
    `The acquirer's address must begin with https://. Got '${origin}'.`,
  );
  const pool = new Pool(origin, {
    connections: maxConnections,
    // Sends only one request at a time on a connection. Otherwise the loss of a connection could lose several requests.
    pipelining: 1,
    // undici's own timeouts are disabled, because the timers of `send` cover the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      timeout: timeouts.connectMs,
      // `rejectUnauthorized` is set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 changes its default.
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
      ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
    },
  });

  const limits = { ...timeouts, maxBodyBytes };
  return {
    send({ method, path, headers, body, timeoutMs, onLateResponse }) {
      const responseMs = Math.min(timeoutMs ?? limits.responseMs, limits.responseMs);
      const own = timeoutMs === undefined ? limits : { ...limits, responseMs };
      const exchange = new Exchange(timers, own, onLateResponse);
      pool.dispatch({ method, path, headers, body }, exchange);
      return exchange.result;
    },
    close: () => pool.close(),
  };
}

type Limits = AcquirerTimeouts & { readonly maxBodyBytes: number };

/**
 * A request and its response. Every live charge creates such an object. To save memory and CPU time, its handlers are
 * methods instead of closures, and it has at most one timer at a time.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly result: Promise<SendResult>;
  readonly #limits: Limits;
  readonly #onLateResponse: AcquirerRequest["onLateResponse"];
  #resolve!: (result: SendResult) => void;
  #cancelTimer: () => void;
  /** Set just before the first byte is written to a connection. Null until then. */
  #controller: Dispatcher.DispatchController | null = null;
  #isTimedOut = false;
  #status: number | null = null;
  #headers: HttpResponse["headers"] = {};
  readonly #body = new ByteCollector();

  constructor(timers: Timers, limits: Limits, onLateResponse: AcquirerRequest["onLateResponse"]) {
    this.#limits = limits;
    this.#onLateResponse = onLateResponse;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#cancelTimer = timers.after(limits.responseMs, () => this.#timeOut(timers));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // `send` has already returned `not_sent`, so this request must not be sent.
    if (this.#isTimedOut) {
      controller.abort(new Error("the request timed out before it was sent"));
    } else {
      this.#controller = controller;
    }
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: HttpResponse["headers"],
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body.length + chunk.length > this.#limits.maxBodyBytes) {
      controller.abort(new TooLarge(this.#limits.maxBodyBytes));
    } else {
      this.#body.append(chunk);
    }
  }

  onResponseEnd(): void {
    const status = this.#status;
    if (status === null) {
      this.#end(unknown("invalid_response", "the response has no status"));
      return;
    }
    const body = this.#body.concat().toString();
    this.#end({ kind: "response", response: { status, headers: this.#headers, body } });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const problem = describe(error);
    if (this.#controller === null) this.#end({ kind: "not_sent", problem });
    else this.#end(unknown(reasonOf(error), problem));
  }

  #timeOut(timers: Timers): void {
    const { responseMs, lateResponseMs } = this.#limits;
    this.#isTimedOut = true;
    this.#cancelTimer = timers.after(lateResponseMs - responseMs, () => {
      this.#controller?.abort(new Error("no response arrived before the late-response timeout"));
    });
    this.#resolve(
      this.#controller === null
        ? { kind: "not_sent", problem: "no connection was available in time" }
        : unknown("timeout", `no response within ${responseMs} ms`),
    );
  }

  #end(result: SendResult): void {
    this.#cancelTimer();
    if (this.#isTimedOut && result.kind === "response") this.#onLateResponse?.(result.response);
    atEndOfTurn(() => this.#resolve(result));
  }
}

class TooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the response exceeded ${maxBytes} bytes`);
  }
}

function unknown(why: UnknownReason, problem: string): SendResult {
  return { kind: "unknown", why, problem };
}

function reasonOf(error: Error): UnknownReason {
  return error instanceof errors.HTTPParserError || error instanceof TooLarge
    ? "invalid_response"
    : "connection_lost";
}

/** Returns the error's code and message. They name hosts and TLS failures, and never contain a part of the request. */
function describe(error: Error): string {
  const { code } = error as { code?: string };
  return code === undefined ? error.message : `${code}: ${error.message}`;
}
