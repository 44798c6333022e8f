import { testCards } from "@florin/server/processors/simulator/test-cards.ts";
import type { BrowserContext } from "playwright-core";

export type Overheard = { requests: { line: string; text: string }[]; messages: string[] };

/** Every request of the browser; with `overhearMessages` also every message that any window or port is sent. */
export function overhear(customer: BrowserContext): Overheard {
  const seen: Overheard = { requests: [], messages: [] };
  customer.on("request", (request) => {
    const { url, method } = { url: request.url(), method: request.method() };
    const headers = JSON.stringify(request.headers());
    const text = [url, headers, request.postData()].join("\n");
    seen.requests.push({ line: `${method} ${url}`, text });
  });
  return seen;
}

/** Stands between every sender and its port, which takes time: for the journeys that are about messages. */
export async function overhearMessages(customer: BrowserContext, seen: Overheard): Promise<void> {
  await customer.exposeBinding("overheard", (_source, message: string) => {
    seen.messages.push(message);
  });
  await customer.addInitScript(() => {
    const { overheard } = window as unknown as { overheard(message: string): void };
    for (const prototype of [MessagePort.prototype, Window.prototype, BroadcastChannel.prototype]) {
      const target = prototype === Window.prototype ? window : prototype;
      const send = Reflect.get(target, "postMessage") as (...data: unknown[]) => void;
      Reflect.set(target, "postMessage", function (this: unknown, ...data: unknown[]) {
        overheard(JSON.stringify(data[0]));
        return send.apply(this ?? window, data);
      });
    }
  });
}

const numbers = testCards.map(({ number }) => number);

/**
 * What carried a card number anywhere but to the vault, as lines that say where: of all the cards there are in test mode, in
 * whatever groups they are written.
 */
export function leaksIn({ requests, messages }: Overheard): string[] {
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
