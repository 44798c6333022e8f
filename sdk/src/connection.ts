import {
  ConnectionError,
  errorFromAnswer,
  type FlorinError,
  type Received,
} from "./florin-error.ts";

export type FlorinOptions = {
  /** Where the service runs, without `/api/v1`. */
  baseUrl: string;
  /** For one try. The service itself answers within 28 seconds, whatever the bank does. */
  timeoutMs?: number;
  /** Tries after the first. */
  maxRetries?: number;
  /** Any function that works like `fetch`: a proxy's, a test's. */
  fetch?: typeof fetch;
};

export type RequestOptions = {
  /** Makes the POST happen once for this key, within 24 hours (spec §8). One is made when none is given. */
  idempotencyKey?: string;
  timeoutMs?: number;
  maxRetries?: number;
  signal?: AbortSignal;
};

type Method = "GET" | "POST" | "DELETE";
export type Query = Readonly<Record<string, unknown>>;
type Call = { path: string; query?: Query | undefined; body?: unknown; gone?: Gone };
/** What the service answers when it has deleted something. */
type Gone = { id: string; object: string; deleted: true };
type Named<T extends Gone> = { id: string; object: T["object"] };

const firstDelayMs = 500;
const longestDelayMs = 8_000;
/** Longer than this nobody's request should hang: the error says how long, and the caller decides. */
const longestRetryAfterSeconds = 60;

/** One account's line to the service: it signs each request, tries again when that is safe, and names what went wrong. */
export class Connection {
  // Private to the language, not only to the compiler: a logged client shows no key.
  readonly #secretKey: string;
  readonly #baseUrl: string;
  readonly #timeoutMs: number;
  readonly #maxRetries: number;
  readonly #fetch: typeof fetch;

  constructor(secretKey: string, options: FlorinOptions) {
    // Secret keys never belong into browser code (spec §5): fail on the developer's own screen, not in the wild.
    if ("document" in globalThis) throw new TypeError("A secret key must never reach a browser.");
    if (!/^[rs]k_(test|live)_\S+$/.test(secretKey)) {
      throw new TypeError(
        "The secret key must begin with sk_test_ or sk_live_ (or rk_ for a restricted key).",
      );
    }
    this.#secretKey = secretKey;
    this.#baseUrl = addressOf(options);
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#maxRetries = options.maxRetries ?? 2;
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  get<T>(path: string, query?: Query, options?: RequestOptions): Promise<T> {
    return this.#send<T>("GET", { path, query }, options);
  }

  post<T>(path: string, body: unknown, options: RequestOptions = {}): Promise<T> {
    // Made once, out here, so that every retry carries the same key and the service does the work once.
    const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
    return this.#send<T>("POST", { path, body }, { ...options, idempotencyKey });
  }

  delete<T extends Gone>(path: string, gone: Named<T>, options?: RequestOptions): Promise<T> {
    return this.#send<T>("DELETE", { path, gone: { ...gone, deleted: true } }, options);
  }

  async #send<T>(method: Method, call: Call, options: RequestOptions = {}): Promise<T> {
    const maxRetries = options.maxRetries ?? this.#maxRetries;
    let mayBeDone = false;
    for (let retry = 0; ; retry++) {
      const result = await this.#try(method, call, options);
      if (result.ok) return result.value as T;
      const { error } = result;
      // A DELETE carries no idempotency key. When the answer to the first may have been lost, that the second finds
      // nothing is what was wanted, and is answered as the first would have been.
      if (call.gone && mayBeDone && isMissing(error)) return call.gone as T;
      // Whoever is turned away as one too many has surely done nothing.
      mayBeDone ||= error.status !== 429;
      if (retry >= maxRetries || !isWorthRetrying(error)) throw error;
      await sleep(delayBefore(retry, error), options.signal);
    }
  }

  async #try(method: Method, call: Call, options: RequestOptions): Promise<Tried> {
    options.signal?.throwIfAborted();
    const { idempotencyKey } = options;
    const deadline = AbortSignal.timeout(options.timeoutMs ?? this.#timeoutMs);
    try {
      const response = await this.#fetch(
        `${this.#baseUrl}/api/v1${call.path}${queryText(call.query)}`,
        {
          method,
          headers: {
            accept: "application/json",
            authorization: `Bearer ${this.#secretKey}`,
            ...(method === "POST" && { "content-type": "application/json" }),
            ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
          },
          body: method === "POST" ? JSON.stringify(call.body ?? {}) : null,
          // Followed, a redirect could turn a POST into a GET, or take the key to another host.
          redirect: "manual",
          signal: options.signal ? AbortSignal.any([options.signal, deadline]) : deadline,
        },
      );
      const { status, headers } = response;
      // Read here: the deadline covers the body too, and half an answer is no answer.
      const text = await response.text();
      const answer = { status, headers, text, idempotencyKey };
      return response.ok ? readSuccess(answer) : { ok: false, error: errorFromAnswer(answer) };
    } catch (cause) {
      options.signal?.throwIfAborted();
      return { ok: false, error: noAnswer(this.#baseUrl, deadline, cause, idempotencyKey) };
    }
  }
}

/** No address could be the default: whoever uses this client runs the service, or knows who does. */
function addressOf(options: FlorinOptions | undefined): string {
  // JavaScript lets options be left out, and a variable of the environment that is not set comes as undefined.
  const { baseUrl } = options ?? {};
  const url = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  // Written without https://, `localhost:4242` is an address as well: of the scheme "localhost".
  if (url && ["http:", "https:"].includes(url.protocol)) return url.href.replace(/\/+$/, "");
  throw new TypeError(
    `Florin must be told where the service runs: new Florin(secretKey, { baseUrl: "https://pay.example.com" }). The baseUrl given was ${JSON.stringify(baseUrl)}.`,
  );
}

type Tried = { ok: true; value: unknown } | { ok: false; error: FlorinError };

function readSuccess(answer: Received): Tried {
  try {
    return { ok: true, value: JSON.parse(answer.text) };
  } catch (cause) {
    // JSON that breaks off was cut on its way: no answer, so it is asked for again. Anything else is somebody else's
    // page, and would be the same the next time.
    if (/\bjson\b/i.test(answer.headers.get("content-type") ?? "")) throw cause;
    return { ok: false, error: errorFromAnswer(answer) };
  }
}

function noAnswer(
  baseUrl: string,
  deadline: AbortSignal,
  cause: unknown,
  idempotencyKey: string | undefined,
): ConnectionError {
  return new ConnectionError({
    message: deadline.aborted
      ? `${baseUrl} did not answer in time. The request may have been carried out.`
      : `No whole answer came from ${baseUrl}. The request may have been carried out.`,
    type: "connection_error",
    code: deadline.aborted ? "timeout" : "connection_failed",
    status: 0,
    idempotencyKey,
    cause,
  });
}

function isMissing(error: FlorinError): boolean {
  return error.status === 404 && error.code === "resource_missing";
}

/** A lost answer, "too many" and "our fault" may pass; every other answer would be the same again (spec §7). */
function isWorthRetrying(error: FlorinError): boolean {
  if ((error.retryAfterSeconds ?? 0) > longestRetryAfterSeconds) return false;
  return error instanceof ConnectionError || error.status === 429 || error.status >= 500;
}

/** Doubling, and half of it by chance, so that clients which failed together do not come back together. */
function delayBefore(retry: number, error: FlorinError): number {
  const backoff = Math.min(firstDelayMs * 2 ** retry, longestDelayMs);
  const jittered = backoff * (0.5 + Math.random() / 2);
  return Math.max(jittered, (error.retryAfterSeconds ?? 0) * 1000);
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** `{ created: { gte: 5 } }` is written `created[gte]=5`; what is undefined is left out. */
function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (typeof value !== "object" || value === null) parameters.append(name, String(value));
    else if (Array.isArray(value)) parameters.append(name, value.join(","));
    else
      for (const [bound, at] of Object.entries(value)) {
        if (at !== undefined) parameters.append(`${name}[${bound}]`, String(at));
      }
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}
