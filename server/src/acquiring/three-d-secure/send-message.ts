import { boundConcurrency } from "../../core/bounded-concurrency.ts";

/**
 * Sends a message to another server of the card network. Returns its response, or null if none arrived in time, the
 * response is too long, or too many messages are in progress.
 */
export type Exchange = (url: string, body: string, withinMs: number) => Promise<Exchanged | null>;

export type Exchanged = {
  /** True if the status is 2xx. */
  readonly ok: boolean;
  readonly text: string;
};

/**
 * The limits of one sender's concurrent and queued messages. Each sender has separate limits. With a shared limit, a
 * sender could use up the capacity that another sender needs to produce the awaited response.
 */
export const exchangeLimits = { maxRunning: 64, maxWaiting: 256 };

/** The maximum length of a response. The longest EMV 3DS message is the PRes with the card ranges. */
const maxResponseBytes = 4 * 1024 * 1024;

export function createExchange(): Exchange {
  const bounded = boundConcurrency(exchangeLimits);
  return async (url, body, withinMs) => {
    // The timeout includes the time in the queue.
    const signal = AbortSignal.timeout(withinMs);
    try {
      return await bounded(async () => {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json; charset=utf-8" },
          body,
          redirect: "error",
          signal,
        });
        const text = await readText(response);
        return text === null ? null : { ok: response.ok, text };
      }, signal);
    } catch {
      return null;
    }
  };
}

/** Returns the body of the response. If the body is too long, closes the connection and returns null. */
async function readText({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
