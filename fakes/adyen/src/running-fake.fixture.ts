import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type AdyenFakeOptions, startAdyenFake } from "./adyen-fake.ts";
import { type AdyenSdk, connectSdk, type Json } from "./adyen-sdk.fixture.ts";
import { defaultMerchantAccount, type MerchantAccount } from "./merchant-account.ts";

export type RunningFake = {
  readonly url: string;
  readonly sdk: AdyenSdk;
  readonly receiver: Receiver;
  /** Sends a command to the control API. */
  readonly control: (command: string, body?: Json) => Promise<Json>;
  /** Sends a request directly, without the SDK. */
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Sent>;
};

export type Sent = { readonly status: number; readonly headers: Headers; readonly body: Json };

export const account = defaultMerchantAccount;

/** Starts the fake with a receiver of its notifications. Both are closed at the end of the test. */
export async function runFake(
  t: TestContext,
  settings: Partial<MerchantAccount> = {},
  options: AdyenFakeOptions = {},
): Promise<RunningFake> {
  const receiver = await startReceiver(t);
  const accounts = [{ webhookUrl: receiver.url, ...settings }];
  const fake = await startAdyenFake({ accounts, ...options });
  t.after(() => fake.close());
  return clientOf(fake.url, receiver);
}

export function clientOf(url: string, receiver: Receiver): RunningFake {
  return {
    url,
    receiver,
    sdk: connectSdk(url, account.apiKey),
    async control(command, body) {
      const [method = "", path = ""] = command.split(" ");
      const text = body === undefined ? null : JSON.stringify(body);
      const response = await fetch(`${url}/control/${path}`, { method, body: text });
      const result = (await response.json()) as Json;
      assert.equal(response.status, 200, `${command}: ${result.message}`);
      return result;
    },
    async post(path, body, headers = {}) {
      const response = await fetch(url + path, {
        method: "POST",
        headers: { "x-api-key": account.apiKey, ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      const parsed = isJson ? (JSON.parse(text) as Json) : { text };
      return { status: response.status, headers: response.headers, body: parsed };
    },
  };
}

export type Receiver = {
  readonly url: string;
  /** The items of all received notifications, in the order of arrival. */
  readonly items: Json[];
  /** The bodies of all received notifications. */
  readonly bodies: Json[];
  /** The HTTP status with which the receiver responds. */
  status: number;
  /** Waits for a notification and returns its item. */
  readonly item: (eventCode: string, merchantReference?: string) => Promise<Json>;
};

export async function startReceiver(t: TestContext): Promise<Receiver> {
  const bodies: Json[] = [];
  const items: Json[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const body = JSON.parse(text) as Json;
      if (receiver.status === 200) {
        bodies.push(body);
        items.push(body.notificationItems[0].NotificationRequestItem);
      }
      response.writeHead(receiver.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notifications`,
    bodies,
    items,
    status: 200,
    item: (eventCode, merchantReference) =>
      waitFor(`the notification ${eventCode}`, () =>
        items.find(
          (item) =>
            item.eventCode === eventCode &&
            (merchantReference === undefined || item.merchantReference === merchantReference),
        ),
      ),
  };
  return receiver;
}

export async function waitFor<Found>(what: string, find: () => Found | undefined): Promise<Found> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    await sleep(10);
  }
  throw new Error(`${what} did not happen within 3 s.`);
}

/** Returns a request for a sale of 10 EUR. */
export function sale(reference: string, changes: Json = {}): Json {
  const { paymentMethod, ...others } = changes;
  return {
    merchantAccount: account.merchantAccount,
    amount: { currency: "EUR", value: 1000 },
    reference,
    returnUrl: "https://shop.example/return?order=1",
    captureDelayHours: 0,
    paymentMethod: {
      type: "scheme",
      number: "4111111111111111",
      expiryMonth: "03",
      expiryYear: "2030",
      cvc: "737",
      holderName: "J. Smith",
      ...paymentMethod,
    },
    ...others,
  };
}

/** Returns a request for an authorization that is captured later. */
export function hold(reference: string, changes: Json = {}): Json {
  const { captureDelayHours, ...request } = sale(reference, changes);
  return { ...request, additionalData: { manualCapture: "true", ...changes.additionalData } };
}

export function modification(reference: string, value?: number, currency = "EUR"): Json {
  return {
    merchantAccount: account.merchantAccount,
    reference,
    ...(value === undefined ? {} : { amount: { currency, value } }),
  };
}
