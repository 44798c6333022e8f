import type { IncomingMessage, ServerResponse } from "node:http";
import { sendAuthenticationPage } from "@florin/shared-fake/authentication-page.ts";
import { Clock } from "@florin/shared-fake/clock.ts";
import { controlPath } from "@florin/shared-fake/control-request.ts";
import { startLocalServer } from "@florin/shared-fake/local-server.ts";
import { type Api, handleApiRequest } from "./api.ts";
import { handleControlRequest } from "./control-api.ts";
import { startEventDelivery } from "./deliver-events.ts";
import { authenticationPath, chooseOutcome, redirectedIntent } from "./payment-intents.ts";
import { Platform } from "./platform.ts";
import type { Account } from "./records.ts";
import { chooseSetupOutcome, redirectedSetup } from "./setup-intents.ts";

export type StripeFakeOptions = {
  /** 0 lets the system choose a free port. */
  readonly port?: number;
  /** The delay before each response, in milliseconds. */
  readonly responseDelayMs?: number;
  readonly accounts?: readonly (Partial<Account> & { readonly id: string })[];
};

export type StripeFake = {
  readonly port: number;
  /** The base URL of the API is `{url}/v1`. */
  readonly url: string;
  close(): Promise<void>;
};

/** Allows the largest file of evidence, 5 MB (docs.stripe.com/file-upload). */
const maxBodyBytes = 6 * 1024 * 1024;

/** Starts the fake on the loopback interface. Its state is lost when it ends. */
export async function startStripeFake(options: StripeFakeOptions = {}): Promise<StripeFake> {
  const platform = new Platform(new Clock(), options.responseDelayMs ?? 0);
  for (const account of options.accounts ?? [{ id: "acct_fake" }]) {
    platform.put(platform.accounts, {
      platform: null,
      secretKey: "sk_test_fake",
      webhookSecret: "whsec_fake",
      previousWebhookSecret: null,
      webhookUrl: null,
      livemode: false,
      ...account,
    });
  }
  const delivery = startEventDelivery(platform);
  platform.dispatchCaused = () => delivery.dispatchCaused();
  const api: Api = { platform, delivery };
  const server = await startLocalServer({
    port: options.port ?? 0,
    name: "stripe",
    maxBodyBytes,
    respond: (request, response, body) => respond(api, request, response, body),
  });
  const { port, url } = server;
  platform.baseUrl = url;
  return {
    port,
    url,
    async close() {
      platform.clock.close();
      await server.close();
      await delivery.close();
    },
  };
}

async function respond(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<void> {
  const url = request.url ?? "/";
  const [path = "/", query = ""] = url.split("?", 2);
  if (path.startsWith(controlPath)) await handleControlRequest(api, request, response, body);
  else if (path.startsWith(authenticationPath)) authenticate(api, request, response, path, body);
  else await handleApiRequest(api, { request, path, query, body }, response);
}

/** Shows the page on which the cardholder authenticates, and redirects the cardholder after the choice. */
function authenticate(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  body: Buffer,
): void {
  const { platform } = api;
  const token = path.slice(authenticationPath.length);
  const intent = redirectedIntent(platform, token);
  const setup = redirectedSetup(platform, token);
  if (intent === null && setup === null) {
    response.writeHead(404, { "content-type": "text/plain" }).end("Not found\n");
    return;
  }
  if (request.method === "GET") {
    sendAuthenticationPage(response, {
      acquirer: "Stripe",
      last4: (intent ?? setup)?.card?.last4,
      amount: intent && amountText(intent.amount, intent.currency),
    });
    return;
  }
  const form = body.toString("utf8");
  const location = intent
    ? chooseOutcome(platform, intent, form)
    : setup && chooseSetupOutcome(platform, setup, form);
  platform.dispatchCaused();
  if (location === null) response.writeHead(400).end();
  else response.writeHead(302, { location }).end();
}

/** Returns an amount in minor units as people read it: `19.99 USD`. */
function amountText(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency.toUpperCase()}`;
}
