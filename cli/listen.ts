import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { eventTypes } from "@florin/contract/event.ts";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { signatureHeaders, signingKey } from "@florin/server/webhooks/delivery/signature.ts";
import { followEvents, type SentEvent } from "./follow-events.ts";
import { findService, type Service } from "./running-service.ts";

/**
 * `florin listen --forward-to http://localhost:8080/webhooks`: forwards a merchant's events to a URL that may be
 * reachable only from this machine, and prints each result. The events are signed as the service signs them.
 */
export async function listen(config: Config, arguments_: string[]): Promise<number> {
  const { forwardTo, types, url, key } = readArguments(arguments_);
  const service = await findService(config, { url, key });
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stopping.abort());
  }
  const secret = listenSecret(service);
  let hasConnected = false;
  const events = followEvents(service, {
    ...(types && { types }),
    signal: stopping.signal,
    onConnection(message) {
      if (message !== "connected") return console.log(`… ${message}`);
      if (!hasConnected) {
        console.log(`Your signing secret is ${secret} (always the same for this key)`);
      }
      hasConnected = true;
      console.log(`Listening to ${service.url}. Press Ctrl-C to stop.`);
    },
  });
  // Sequential, so that events arrive in the order in which they happened.
  for await (const event of events) {
    const outcome = forwardTo ? await forward(event, forwardTo, secret, stopping.signal) : "";
    console.log(`${timeNow()}  ${event.type.padEnd(28)} ${event.id}${outcome && `  ${outcome}`}`);
  }
  return 0;
}

/** Derives the signing secret from the key, so that it needs no storage and is the same on every machine. */
function listenSecret({ key }: Pick<Service, "key">): string {
  return `whsec_${createHmac("sha256", key).update("florin listen").digest("base64")}`;
}

/**
 * The delays before retries of a refused connection. Refused connections are common, because servers under development
 * restart often.
 */
const reconnectBackoffsMs = [250, 500, 1_000, 2_000, 4_000];

/** The result of an event that was forwarded when the command was stopped. The handler may have received the event. */
const stoppedText =
  "→ stopped before the handler responded. Florin does not send this event again.";

/** The response time that the service allows a webhook handler (docs/guides/webhooks.md). */
const deadlineMs = 20_000;

async function forward(
  { id, body }: SentEvent,
  to: string,
  secret: string,
  signal: AbortSignal,
): Promise<string> {
  const bytes = Buffer.from(body);
  for (let attempt = 0; ; attempt++) {
    const startedAt = performance.now();
    const timestamp = Math.floor(Date.now() / 1000);
    try {
      const response = await fetch(to, {
        method: "POST",
        redirect: "manual",
        headers: {
          "content-type": "application/json",
          ...signatureHeaders([signingKey(secret)], { id, body: bytes, timestamp }),
        },
        body: bytes,
        signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
      });
      await response.arrayBuffer();
      return `→ ${response.status} (${Math.round(performance.now() - startedAt)} ms)`;
    } catch (error) {
      const { cause, name, message } = error as Error & { cause?: { code?: string } };
      if (signal.aborted && cause?.code !== "ECONNREFUSED") return stoppedText;
      const backoffMs = reconnectBackoffsMs[attempt];
      if (cause?.code !== "ECONNREFUSED" || backoffMs === undefined || signal.aborted) {
        return `→ not delivered: ${undeliveredReason(name, cause?.code ?? message)}. Florin does not send this event again.`;
      }
      await sleep(backoffMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

function undeliveredReason(name: string, code: string): string {
  if (name === "TimeoutError") return "no response within 20 s";
  if (code === "ECONNREFUSED") return "connection refused, start the handler (ECONNREFUSED)";
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET") {
    return `the handler closed the connection without a response (${code})`;
  }
  return code;
}

function timeNow(): string {
  return new Date().toTimeString().slice(0, 8);
}

function readArguments(arguments_: string[]) {
  const { values } = parseArgs({
    args: arguments_,
    options: {
      "forward-to": { type: "string" },
      events: { type: "string" },
      url: { type: "string" },
      key: { type: "string" },
    },
  });
  const given = values["forward-to"];
  // Accepts the short forms `8080/webhooks` and `localhost:8080/webhooks`.
  const forwardTo = given && (/^https?:\/\//.test(given) ? given : `http://${withHost(given)}`);
  if (forwardTo && !URL.canParse(forwardTo)) {
    throw new WrongSetting(
      `--forward-to must be a URL such as http://localhost:8080/webhooks. Got '${given}'.`,
    );
  }
  const types = values.events?.split(",").map((type) => type.trim());
  const unknown = types?.find((type) => !eventTypes.some((known) => known === type));
  if (unknown !== undefined) {
    throw new WrongSetting(
      `--events must contain only event types, such as payment.succeeded,payment_failed. Got '${unknown}'. The types are: ${eventTypes.join(", ")}.`,
    );
  }
  return { forwardTo, types, url: values.url, key: values.key };
}

function withHost(text: string): string {
  return /^:?\d+(\/|$)/.test(text) ? `localhost:${text.replace(/^:/, "")}` : text;
}
