import { strict as assert } from "node:assert";
import { type Dispatcher, errors, Pool } from "undici";
import { isLoopback } from "../core/loopback.ts";
import type { Timers } from "../core/timers.ts";
import type { HttpResponse, UnknownReason } from "./outcome.ts";

/**
 * The HTTP connections to one acquirer. It sends requests to this acquirer only: redirects are not followed, and TLS is
 * at least version 1.2 with a verified certificate.
 */
export type AcquirerClient = {
  /** Sends one request. Never throws: a failure is classified by whether the acquirer can have received the request. */
  send(request: AcquirerRequest): Promise<SendResult>;
  /** Waits for the requests in progress, and closes the connections. */
  close(): Promise<void>;
};

export type AcquirerRequest = {
  readonly method: "GET" | "POST";
  /** The path with the query, below the origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
  /**
   * Called with a response that arrives after `send` has timed out and returned `unknown`. Such late responses resolve
   * most unknown outcomes.
   */
  readonly onLateResponse?: (response: HttpResponse) => void;
};

export type SendResult =
  | { readonly kind: "response"; readonly response: HttpResponse }
  /**
   * No connection was established, so the acquirer cannot have received the request. It can be sent to another
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
  /** The certificate authority, in PEM. Defaults to the system's. */
  readonly certificateAuthority?: string;
};

export type AcquirerTimeouts = {
  readonly connectMs: number;
  /**
   * The response timeout. It starts at the call of `send`, so it includes the time to connect. It must fit into the 28
   * s limit of a merchant's request.
   */
  readonly responseMs: number;
  /**
   * The timeout of a late response. It starts at the call of `send`. A response that arrives between the two timeouts
   * is passed to `onLateResponse`.
   */
  readonly lateResponseMs: number;
};

export const defaultAcquirerTimeouts: AcquirerTimeouts = {
  connectMs: 3_000,
  responseMs: 20_000,
  lateResponseMs: 60_000,
};

/** The maximum number of connections. Further requests wait until a connection is free. */
const maxConnections = 2_048;

/** The default maximum size of a response. A typical response has a few kilobytes. */
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
    // Sends one request at a time on a connection, because a second one could be lost together with the first.
    pipelining: 1,
    // The timeouts below cover the whole request.
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

  return {
    send: (request) => sendOnce(pool, timers, { ...timeouts, maxBodyBytes }, request),
    close: () => pool.close(),
  };
}

function sendOnce(
  pool: Pool,
  timers: Timers,
  limits: AcquirerTimeouts & { readonly maxBodyBytes: number },
  { method, path, headers, body, onLateResponse }: AcquirerRequest,
): Promise<SendResult> {
  return new Promise((resolve) => {
    /** Set just before the first byte is written to a connection. Null until then. */
    let controller: Dispatcher.DispatchController | null = null;
    let isTimedOut = false;
    let response: { status: number; headers: Record<string, string> } | null = null;
    const chunks: Buffer[] = [];
    let bytes = 0;

    const cancelTimeout = timers.after(limits.responseMs, () => {
      isTimedOut = true;
      if (controller === null) {
        return resolve({ kind: "not_sent", problem: "no connection was available in time" });
      }
      resolve(unknown("timeout", `no response within ${limits.responseMs} ms`));
    });
    const cancelLate = timers.after(limits.lateResponseMs, () => {
      controller?.abort(new Error("The response arrived after the deadline."));
    });

    function end(result: SendResult): void {
      cancelTimeout();
      cancelLate();
      if (isTimedOut && result.kind === "response") onLateResponse?.(result.response);
      resolve(result);
    }

    pool.dispatch(
      { method, path, headers, body },
      {
        onRequestStart(started) {
          // `send` has already returned `not_sent`, so the request must not be sent.
          if (isTimedOut)
            return started.abort(new Error("The request timed out before it was sent."));
          controller = started;
        },
        onResponseStart(_, status, received) {
          response = { status, headers: firstOfEach(received) };
        },
        onResponseData(_, chunk) {
          bytes += chunk.length;
          if (bytes > limits.maxBodyBytes) {
            return controller?.abort(new TooLarge(limits.maxBodyBytes));
          }
          chunks.push(chunk);
        },
        onResponseEnd() {
          if (!response) return end(unknown("invalid_response", "the response has no status"));
          end({
            kind: "response",
            response: { ...response, body: Buffer.concat(chunks).toString() },
          });
        },
        onResponseError(_, error) {
          const problem = describe(error);
          if (controller === null) return end({ kind: "not_sent", problem });
          end(unknown(reasonOf(error), problem));
        },
      },
    );
  });
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

function firstOfEach(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const first: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value[0] : value;
    if (text !== undefined) first[name.toLowerCase()] = text;
  }
  return first;
}
