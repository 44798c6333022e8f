import type { IncomingMessage, ServerResponse } from "node:http";
import { sendAuthenticationPage } from "@florin/shared-fake/authentication-page.ts";
import { Clock } from "@florin/shared-fake/clock.ts";
import { controlPath } from "@florin/shared-fake/control-request.ts";
import { startLocalServer } from "@florin/shared-fake/local-server.ts";
import { decimalText } from "./amount.ts";
import { handleApiRequest } from "./api.ts";
import { authorizeReceived, scheduleCaptureAndExpiry } from "./authorize.ts";
import { handleControlRequest } from "./control-api.ts";
import { executeModification, scheduleLateFailure } from "./execute-modification.ts";
import { IdempotencyKeys } from "./idempotency.ts";
import { Journal } from "./journal.ts";
import { defaultMerchantAccount, type MerchantAccount } from "./merchant-account.ts";
import { NotificationDelivery } from "./notification-delivery.ts";
import { Platform } from "./platform.ts";
import { chooseOutcome, redirectedPayment, redirectPath } from "./redirect-page.ts";
import { scheduleDefensePeriodEnd } from "./run-dispute.ts";
import type { Api } from "./send-response.ts";
import { State } from "./state.ts";

export type AdyenFakeOptions = {
  /** 0 lets the system choose a free port. */
  readonly port?: number;
  /** The time before each response, in milliseconds. */
  readonly responseDelayMs?: number;
  /** The time between the response to a modification and its execution, in milliseconds. */
  readonly processingMs?: number;
  /**
   * The base URLs in responses and notifications. Both default to the base URL of the fake. On Adyen's test platform
   * they are `https://checkoutshopper-test.adyen.com` and `https://ca-test.adyen.com`.
   */
  readonly checkoutShopperUrl?: string;
  readonly customerAreaUrl?: string;
  /** The journal file. Without it, the state is lost when the fake ends. */
  readonly dataFile?: string;
  /** The merchant accounts to create at the first start. Later starts read them from the journal. */
  readonly accounts?: readonly Partial<MerchantAccount>[];
};

export type AdyenFake = {
  readonly port: number;
  /** The base URL of the Checkout API is `{url}/v72`. */
  readonly url: string;
  close(): Promise<void>;
};

/** Allows a defense document of 10 MB, the maximum. Base64 makes it a third longer. */
const maxBodyBytes = 16 * 1024 * 1024;

/** Starts the fake on the loopback interface. */
export async function startAdyenFake(options: AdyenFakeOptions = {}): Promise<AdyenFake> {
  const state = new State(options.dataFile ? new Journal(options.dataFile) : null);
  for (const account of state.accounts.size > 0 ? [] : (options.accounts ?? [{}])) {
    const complete = { ...defaultMerchantAccount, ...account };
    state.put("accounts", complete.merchantAccount, complete);
  }
  state.commit();
  const clock = new Clock();
  clock.restore(state.settings.get("clock")?.clockOffsetMs ?? 0);

  let api: Api | null = null;
  const server = await startLocalServer({
    port: options.port ?? 0,
    name: "adyen",
    maxBodyBytes,
    respond: (request, response, body) => {
      if (api) return respond(api, request, response, body);
    },
  });
  const { port, url } = server;
  const platform = new Platform(state, clock, {
    responseDelayMs: options.responseDelayMs ?? 0,
    processingMs: options.processingMs ?? 0,
    checkoutShopperUrl: options.checkoutShopperUrl ?? url,
    customerAreaUrl: options.customerAreaUrl ?? url,
  });
  const delivery = new NotificationDelivery(platform);
  platform.dispatch = (notifications) => delivery.dispatch(notifications);
  api = { platform, delivery, keys: new IdempotencyKeys(state, () => clock.nowMs()) };
  resume(platform, delivery);
  return {
    port,
    url,
    async close() {
      clock.close();
      await server.close();
      await delivery.close();
      state.close();
    },
  };
}

/** Continues the work that the previous process had not completed. */
function resume(platform: Platform, delivery: NotificationDelivery): void {
  const { state } = platform;
  delivery.resume();
  for (const modification of state.modifications.values()) {
    if (modification.state === "received") {
      delivery.dispatch(executeModification(platform, modification.pspReference));
    }
    scheduleLateFailure(platform, modification);
  }
  for (const payment of state.payments.values()) {
    if (payment.state === "received") {
      delivery.dispatch(authorizeReceived(platform, payment.pspReference));
    }
    scheduleCaptureAndExpiry(platform, payment);
  }
  for (const dispute of state.disputes.values()) scheduleDefensePeriodEnd(platform, dispute);
  state.commit();
}

function respond(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): void | Promise<void> {
  const url = request.url ?? "/";
  const path = url.split("?", 1)[0] as string;
  if (path.startsWith(controlPath)) return handleControlRequest(api, request, response, body);
  if (path.startsWith(redirectPath)) showRedirectPage(api, request, response, path, body);
  else handleApiRequest(api, request, response, path, body);
}

function showRedirectPage(
  { platform }: Api,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  body: Buffer,
): void {
  const payment = redirectedPayment(platform, path.slice(redirectPath.length));
  if (payment === null) {
    response.writeHead(404, { "content-type": "text/plain" }).end("Not found\n");
    return;
  }
  if (request.method === "GET") {
    const { currency, value } = payment.amount;
    sendAuthenticationPage(response, {
      acquirer: "Adyen",
      last4: payment.card.last4,
      amount: `${decimalText(value, currency)} ${currency}`,
    });
    return;
  }
  const location = chooseOutcome(platform, payment, body.toString("utf8"));
  platform.state.commit();
  if (location === null) response.writeHead(400).end();
  else response.writeHead(302, { location }).end();
}
