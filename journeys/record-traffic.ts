import { testCards } from "@florin/contract/test-cards.ts";
import type { BrowserContext } from "playwright-core";

export type Traffic = { requests: { line: string; text: string }[]; messages: string[] };

/** Records every request of the browser. `recordMessages` also records the messages to windows and ports. */
export function recordRequests(customer: BrowserContext): Traffic {
  const seen: Traffic = { requests: [], messages: [] };
  customer.on("request", (request) => {
    const { url, method } = { url: request.url(), method: request.method() };
    const headers = JSON.stringify(request.headers());
    const text = [url, headers, request.postData()].join("\n");
    seen.requests.push({ line: `${method} ${url}`, text });
  });
  return seen;
}

/** Records every message to a window or port. It slows the page down, so only the journeys about messages use it. */
export async function recordMessages(customer: BrowserContext, seen: Traffic): Promise<void> {
  await customer.exposeBinding("recordMessage", (_source, message: string) => {
    seen.messages.push(message);
  });
  await customer.addInitScript(() => {
    const { recordMessage } = window as unknown as { recordMessage(message: string): void };
    for (const prototype of [MessagePort.prototype, Window.prototype, BroadcastChannel.prototype]) {
      const target = prototype === Window.prototype ? window : prototype;
      const send = Reflect.get(target, "postMessage") as (...data: unknown[]) => void;
      Reflect.set(target, "postMessage", function (this: unknown, ...data: unknown[]) {
        recordMessage(JSON.stringify(data[0]));
        return send.apply(this ?? window, data);
      });
    }
  });
}

const numbers = testCards.map(({ number }) => number);

/**
 * Returns the requests and messages, other than requests to the vault, that contain the number of a test card with any
 * separators. Each line names the request or message.
 */
export function leaksIn({ requests, messages }: Traffic): string[] {
  const holds = (text: string) => {
    const joined = text.replaceAll(/(?<=\d)[ -](?=\d)/g, "");
    return numbers.some((number) => joined.includes(number));
  };
  return [
    ...requests
      .filter(({ line, text }) => !/^POST \S+\/vault\/cards$/.test(line) && holds(text))
      .map(({ line }) => line),
    ...messages.filter(holds).map(() => "a message between windows"),
  ];
}
