import type { Clock } from "../../../core/clock.ts";
import { singleFlight } from "../../../core/single-flight.ts";
import type { Timers } from "../../../core/timers.ts";
import type { SendHttps } from "../https-request.ts";
import { type RootKey, readRootKeys } from "./root-keys.ts";

/** The root keys of Google Pay, which Google replaces from time to time. */
export type RootKeySource = {
  /**
   * Returns the root keys. Waits for Google only if no earlier copy contains valid keys, and then for at most
   * `maxWaitMs`. Returns null if there are no keys by then.
   */
  read(maxWaitMs: number): Promise<readonly RootKey[] | null>;
};

/** The root keys for the environment `PRODUCTION`, and for the environment `TEST`. */
export const productionKeysUrl =
  "https://payments.developers.google.com/paymentmethodtoken/keys.json";
export const testKeysUrl =
  "https://payments.developers.google.com/paymentmethodtoken/test/keys.json";

const minute = 60_000;
/** The timeout of a request for the keys. A response fills the cache even if no reader is still waiting for it. */
const fetchTimeoutMs = 4_000;
const maxBodyBytes = 64 * 1024;
/** The minimum time for which a copy is used without a request, even if the response's header states a shorter one. */
const minFreshMs = minute;
/** The maximum time for which a copy is used without a request, even if the response's header states a longer one. */
const maxFreshMs = 24 * 60 * minute;
/** The time for which a copy is used if the response's header states none. */
const defaultFreshMs = 60 * minute;
/** The time after a failure in which no further request is sent. Otherwise every customer would cause one. */
const pauseAfterFailureMs = 15_000;

type Copy = {
  readonly keys: readonly RootKey[];
  /** Milliseconds since 1970 until which the copy is used without a request. */
  readonly freshUntil: number;
};

export type RootKeySourceOptions = {
  readonly url: string;
  readonly send: SendHttps;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called with the code of a failed request. */
  readonly onFailure: (code: string) => void;
};

export function createRootKeySource(options: RootKeySourceOptions): RootKeySource {
  const { clock, timers } = options;
  let copy: Copy | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  const now = () => clock.now().getTime();

  const refresh = singleFlight(async (): Promise<readonly RootKey[] | null> => {
    try {
      copy = await fetchKeys(options);
      return copy.keys;
    } catch (error) {
      failedAt = now();
      options.onFailure((error as Error).message);
      return null;
    }
  });

  return {
    async read(maxWaitMs) {
      const at = now();
      const valid = copy?.keys.filter(({ expiresAt }) => at < expiresAt.getTime()) ?? [];
      if (copy && at < copy.freshUntil && valid.length > 0) return valid;
      const isPaused = at >= failedAt && at - failedAt < pauseAfterFailureMs;
      const refreshed = isPaused ? null : refresh();
      // An earlier copy is used while its keys are valid, so that an outage of Google stops no payment.
      if (valid.length > 0) return valid;
      return refreshed && withinTime(timers, refreshed, maxWaitMs);
    },
  };
}

async function fetchKeys({ url, send, clock }: RootKeySourceOptions): Promise<Copy> {
  const { status, body, cacheControl } = await send({
    url: new URL(url),
    method: "GET",
    timeoutMs: fetchTimeoutMs,
    maxBodyBytes,
  });
  if (status !== 200) throw new Error(`STATUS_${status}`);
  const now = clock.now().getTime();
  // A response with only expired keys must not replace a copy with valid ones. It counts as a failure, so the next
  // request is sent only after the pause.
  const keys = readRootKeys(body).filter(({ expiresAt }) => now < expiresAt.getTime());
  if (keys.length === 0) throw new Error("NO_KEYS");
  return { keys, freshUntil: now + freshMs(cacheControl) };
}

/** Returns the time for which a response is fresh (RFC 9111), within the bounds. */
function freshMs(cacheControl: string): number {
  const seconds = /\bmax-age=([0-9]{1,9})\b/.exec(cacheControl)?.[1];
  if (seconds === undefined) return defaultFreshMs;
  return Math.min(Math.max(Number(seconds) * 1_000, minFreshMs), maxFreshMs);
}

/** Returns the result, or null if there is none in time. */
function withinTime<Result>(
  timers: Timers,
  result: Promise<Result | null>,
  maxWaitMs: number,
): Promise<Result | null> {
  return new Promise((resolve) => {
    const cancel = timers.after(maxWaitMs, () => resolve(null));
    // The refresh never fails: it returns null instead.
    void result.then((value) => {
      cancel();
      resolve(value);
    });
  });
}
