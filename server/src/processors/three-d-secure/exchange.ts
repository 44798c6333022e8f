import { boundConcurrency } from "../../primitives/bounded-concurrency.ts";

/**
 * Sends a message to another server of the card network. Returns its response, or null when none came in time, the
 * response is too long, or too many messages are under way.
 */
export type Exchange = (url: string, body: string, withinMs: number) => Promise<Exchanged | null>;

export type Exchanged = {
  /** Whether the status is 2xx. */
  readonly ok: boolean;
  readonly text: string;
};

/** Messages of one sender under way, and waiting to be sent. Each sender has its own, so that none waits for itself. */
export const exchangeLimits = { maxRunning: 64, maxWaiting: 256 };

/** Longest response that is read. The longest message of EMV 3DS is the list of card ranges. */
const maxResponseBytes = 4 * 1024 * 1024;

export function createExchange(): Exchange {
  const bounded = boundConcurrency(exchangeLimits);
  return async (url, body, withinMs) => {
    // The time for the response includes the time that the message waits.
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

/** Returns null, and ends the connection, for a body that is too long. */
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
