import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "@florin/server/platform/database/startup-error.ts";
import {
  fetchFailureOf,
  type Service,
  unexpectedResponse,
  unreachableService,
} from "./running-service.ts";

/** An event. `body` is the text of the event as the service sends it, because the signature covers its bytes. */
export type SentEvent = { readonly id: string; readonly type: string; readonly body: string };

export type FollowOptions = {
  readonly types?: readonly string[];
  readonly signal: AbortSignal;
  /** Called with a message for the user when the connection is established or lost. Repeated messages are left out. */
  readonly onConnection: (message: string) => void;
};

const firstBackoffMs = 250;
/** The time limit of the response headers. The service sends them immediately. */
const responseTimeoutMs = 15_000;
const maxBackoffMs = 5_000;

/**
 * The number of recent event ids that are stored to skip repeated events. After a reconnection, the service sends some
 * events again.
 */
const maxSeenIds = 50_000;

/**
 * Yields a merchant's events forever. After a lost connection or a restart of the service it continues from the last
 * event. Each event is yielded once.
 *
 * @throws StartupError when the first connection fails, or the service rejects the request. A wrong URL would otherwise
 *   be retried forever.
 */
export async function* followEvents(
  service: Service,
  { types, signal, onConnection }: FollowOptions,
): AsyncGenerator<SentEvent> {
  const seen = new Set<string>();
  let last: string | null = null;
  let backoffMs = firstBackoffMs;
  let hasConnected = false;
  /** The last message about the lost connection. A repeated message is not printed again. */
  let reported = "";
  const report = (message: string): void => {
    if (message !== reported) onConnection(message);
    reported = message;
  };
  while (!signal.aborted) {
    try {
      for await (const event of stream(service, { types, signal, last, isFirst: !hasConnected })) {
        if (event === "connected") {
          hasConnected = true;
          report("connected");
          backoffMs = firstBackoffMs;
          continue;
        }
        if (seen.has(event.id)) continue;
        seen.add(event.id);
        if (seen.size > maxSeenIds) seen.delete(seen.values().next().value as string);
        yield event;
        // Set only after the event was processed. If the connection is lost during the processing, the service sends
        // the event again.
        if (last === null || event.id > last) last = event.id;
      }
      report("connection closed by the service, reconnecting");
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof StartupError) throw error;
      if (!hasConnected) throw unreachableService(service.url, error);
      report(
        `no connection to ${service.url} (${fetchFailureOf(error)}), reconnecting until the service responds. Press Ctrl-C to stop.`,
      );
    }
    await sleep(backoffMs, undefined, { signal }).catch(() => undefined);
    backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
  }
}

async function* stream(
  { url, key }: Service,
  options: {
    readonly types: readonly string[] | undefined;
    readonly signal: AbortSignal;
    readonly last: string | null;
    readonly isFirst: boolean;
  },
): AsyncGenerator<SentEvent | "connected"> {
  const query = options.types ? `?types=${options.types.map(encodeURIComponent).join(",")}` : "";
  const headersTimeout = new AbortController();
  const timer = setTimeout(
    () => headersTimeout.abort(new DOMException("no response", "TimeoutError")),
    responseTimeoutMs,
  );
  const response = await fetch(`${url}/api/v1/events/stream${query}`, {
    headers: {
      authorization: `Bearer ${key}`,
      accept: "text/event-stream",
      ...(options.last && { "last-event-id": options.last }),
    },
    redirect: "manual",
    signal: AbortSignal.any([options.signal, headersTimeout.signal]),
  }).finally(() => clearTimeout(timer));
  // While a service restarts, its proxy returns 502 or 503. These responses are retried, except on the first
  // connection.
  const isTemporary = response.status >= 500 || response.status === 429;
  if (isTemporary && !options.isFirst) throw new Error(`status ${response.status}`);
  // A rejected key or an unknown type is not retried, because every retry would fail.
  if (response.status !== 200) throw await errorIn(url, response);
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    await response.body?.cancel();
    throw unexpectedResponse(url, response);
  }
  yield "connected";
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const messages = text.split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      const body = /^data: (.*)$/m.exec(message)?.[1];
      if (body === undefined) continue;
      const { id, type } = JSON.parse(body) as SentEvent;
      yield { id, type, body };
    }
  }
}

/** Returns the error in a response of the API. */
async function errorIn(url: string, response: Response): Promise<StartupError> {
  const body = (await response.json().catch(() => null)) as { error?: { message?: string } } | null;
  const message = body?.error?.message;
  return message === undefined ? unexpectedResponse(url, response) : new StartupError(message);
}
