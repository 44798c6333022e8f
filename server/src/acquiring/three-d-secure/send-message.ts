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

/** Limits of one sender's messages. Each sender has limits of its own, so that none waits for itself. */
export const exchangeLimits = { maxRunning: 64, maxWaiting: 256 };

/** The longest response that is read. The longest EMV 3DS message is the list of card ranges. */
const maxResponseBytes = 4 * 1024 * 1024;

export function createExchange(): Exchange {
  const bounded = boundConcurrency(exchangeLimits);
  return async (url, body, withinMs) => {
    // The deadline includes the time in the queue.
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

/** Returns null and closes the connection for a body that is too long. */
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
