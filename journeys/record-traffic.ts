import { testCards } from "@florin/contract/test-cards.ts";
import type { BrowserContext } from "playwright-core";

export type Traffic = { requests: { line: string; text: string }[]; messages: string[] };

/** Records every request of the browser context. Only `recordMessages` records messages to windows and ports. */
export function recordRequests(customer: BrowserContext): Traffic {
  const traffic: Traffic = { requests: [], messages: [] };
  customer.on("request", (request) => {
    const { url, method } = { url: request.url(), method: request.method() };
    const headers = JSON.stringify(request.headers());
    const text = [url, headers, request.postData()].join("\n");
    traffic.requests.push({ line: `${method} ${url}`, text });
  });
  return traffic;
}

/** Records every message to a window or port. Slows the page down, so only the journeys about messages call it. */
export async function recordMessages(customer: BrowserContext, traffic: Traffic): Promise<void> {
  await customer.exposeBinding("recordMessage", (_source, message: string) => {
    traffic.messages.push(message);
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
 * Returns a line for each request or message that contains the number of a test card, with or without separators.
 * Excludes requests to the vault.
 */
export function leaksIn({ requests, messages }: Traffic): string[] {
  const containsCardNumber = (text: string) => {
    const joined = text.replaceAll(/(?<=\d)[ -](?=\d)/g, "");
    return numbers.some((number) => joined.includes(number));
  };
  return [
    ...requests
      .filter(
        ({ line, text }) => !/^POST \S+\/vault\/cards$/.test(line) && containsCardNumber(text),
      )
      .map(({ line }) => line),
    ...messages.filter(containsCardNumber).map(() => "a message between windows"),
  ];
}
