import type { IncomingMessage, ServerResponse } from "node:http";
import { authorize, submitDetails } from "./authorize.ts";
import { reportsPath } from "./close-batch.ts";
import {
  disputeServicePath,
  handleDisputeOperation,
  isDisputeOperation,
} from "./dispute-service.ts";
import { connectionFaults, type Endpoint, type PendingFault } from "./faults.ts";
import { digestOf, type IdempotencyKeys } from "./idempotency.ts";
import type { MerchantAccount } from "./merchant-account.ts";
import type { NotificationDelivery } from "./notification-delivery.ts";
import type { Platform } from "./platform.ts";
import type { Reply } from "./reply.ts";
import { type JsonObject, parseBody } from "./request-fields.ts";
import {
  isModificationEndpoint,
  requestModification,
  requestTechnicalCancel,
} from "./request-modification.ts";
import { invalidMerchantAccount, notFound, ServiceError, unauthorized } from "./service-error.ts";

export type Api = {
  readonly platform: Platform;
  readonly delivery: NotificationDelivery;
  readonly keys: IdempotencyKeys;
};

/** A POST endpoint with the name by which faults select it. */
type Route = {
  readonly endpoint: Endpoint;
  readonly handle: (
    platform: Platform,
    accounts: readonly MerchantAccount[],
    body: JsonObject,
  ) => Reply;
};

const checkoutPath = "/v72/";

const paymentsRoute: Route = {
  endpoint: "payments",
  handle: (platform, accounts, body) => authorize(platform, accountOf(accounts, body), body),
};

/** Returns the payment methods of the merchant account, of which the fake has only cards. */
const paymentMethodsRoute: Route = {
  endpoint: "payment_methods",
  handle: (_platform, accounts, body) => {
    accountOf(accounts, body);
    return {
      status: 200,
      body: { paymentMethods: [{ type: "scheme", name: "Cards", brands: ["visa", "mc", "amex"] }] },
      notifiesEarly: false,
      afterMs: 0,
      complete: () => [],
    };
  },
};

const detailsRoute: Route = { endpoint: "details", handle: submitDetails };

const technicalCancelRoute: Route = {
  endpoint: "technical_cancels",
  handle: (platform, accounts, body) =>
    requestTechnicalCancel(platform, accountOf(accounts, body), body),
};

function routeOf(path: string): Route | null {
  if (path.startsWith(disputeServicePath)) {
    return disputeRoute(path.slice(disputeServicePath.length));
  }
  if (!path.startsWith(checkoutPath)) return null;
  const name = path.slice(checkoutPath.length);
  if (name === "payments") return paymentsRoute;
  if (name === "paymentMethods") return paymentMethodsRoute;
  if (name === "payments/details") return detailsRoute;
  if (name === "cancels") return technicalCancelRoute;
  const [, pspReference = "", endpoint = ""] = /^payments\/([^/]+)\/([a-z]+)$/.exec(name) ?? [];
  if (!isModificationEndpoint(endpoint)) return null;
  return {
    endpoint,
    handle: (platform, accounts, body) => {
      const account = accountOf(accounts, body);
      return requestModification(platform, account, endpoint, pspReference, body);
    },
  };
}

function disputeRoute(name: string): Route | null {
  if (!isDisputeOperation(name)) return null;
  return {
    endpoint: "disputes",
    handle: (platform, accounts, body) => handleDisputeOperation(platform, accounts, name, body),
  };
}

function accountOf(accounts: readonly MerchantAccount[], body: JsonObject): MerchantAccount {
  const account = accounts.find(({ merchantAccount }) => merchantAccount === body.merchantAccount);
  if (!account) throw invalidMerchantAccount();
  return account;
}

/** A response that is ready to be sent. */
type Prepared = {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for errors and repeated requests. */
  readonly reply: Reply | null;
};

/** Handles a request to one of Adyen's APIs. Returns without a response if a fault cuts the connection. */
export function handleApiRequest(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  body: Buffer,
): void {
  const { platform } = api;
  const accounts = accountsOf(platform, request);
  if (path.startsWith(reportsPath)) {
    sendReport(api, response, accounts, path.slice(reportsPath.length));
    return;
  }
  const route = request.method === "POST" ? routeOf(path) : null;
  if (accounts.length === 0 || route === null) {
    const error = accounts.length === 0 ? unauthorized() : notFound();
    send(api, response, errorResponse(error), null);
    return;
  }
  const fault = platform.takeFault(route.endpoint, connectionFaults);
  const early = fault === null ? null : responseWithoutProcessing(fault);
  if (early !== null) {
    platform.state.commit();
    send(api, response, early, fault);
    return;
  }
  const apiKey = (accounts[0] as MerchantAccount).apiKey;
  const key = headerOf(request, "idempotency-key");
  let prepared: Prepared;
  try {
    const digest = key === null ? "" : digestOf(apiKey, path, body);
    const stored = key === null ? null : api.keys.find(apiKey, key, digest);
    if (stored) {
      prepared = { status: stored.status, body: stored.body, headers: {}, reply: null };
    } else {
      const reply = route.handle(platform, accounts, parseBody(body));
      const text = JSON.stringify(reply.body);
      if (key !== null) {
        api.keys.store(apiKey, key, { digest, status: reply.status, body: text });
        api.keys.begin(apiKey, key);
      }
      prepared = { status: reply.status, body: text, headers: {}, reply };
    }
    if (key !== null) prepared = { ...prepared, headers: { "idempotency-key": key } };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    prepared = errorResponse(error);
  }
  platform.state.commit();
  const finish = () => {
    if (key !== null && prepared.reply) api.keys.end(apiKey, key);
  };
  if (prepared.reply?.notifiesEarly) {
    notifyEarly(api, prepared.reply).then(() =>
      send(api, response, { ...prepared, reply: null }, fault, finish),
    );
  } else {
    send(api, response, prepared, fault, finish);
  }
}

/** Sends a settlement report to a client with the API key of its merchant account. */
function sendReport(
  api: Api,
  response: ServerResponse,
  accounts: readonly MerchantAccount[],
  name: string,
): void {
  const batch = api.platform.state.batches.get(name);
  const isAllowed = accounts.some((account) => account.merchantAccount === batch?.merchantAccount);
  const fault = api.platform.takeFault("reports", connectionFaults);
  api.platform.state.commit();
  const early = fault === null ? null : responseWithoutProcessing(fault);
  if (accounts.length === 0) {
    send(api, response, errorResponse(unauthorized()), fault);
  } else if (early !== null || !batch || !isAllowed) {
    send(api, response, early ?? errorResponse(notFound()), fault);
  } else {
    const headers = { "content-type": "text/csv;charset=UTF-8" };
    send(api, response, { status: 200, body: batch.report, headers, reply: null }, fault);
  }
}

function accountsOf(platform: Platform, request: IncomingMessage): MerchantAccount[] {
  const apiKey = headerOf(request, "x-api-key");
  return [...platform.state.accounts.values()].filter((account) => account.apiKey === apiKey);
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === "string" ? value : null;
}

function errorResponse(error: ServiceError): Prepared {
  return { status: error.status, body: JSON.stringify(error.body), headers: {}, reply: null };
}

/** Returns the response of a fault that prevents the processing, or null. */
function responseWithoutProcessing({ fault, processed }: PendingFault): Prepared | null {
  switch (fault) {
    case "too_many_requests":
      return errorResponse(new ServiceError(429, "000", "Too many requests", "internal"));
    case "transient_error": {
      const message = "Required resource temporarily unavailable";
      const error = errorResponse(new ServiceError(503, "703", message, "internal"));
      return { ...error, headers: { "transient-error": "true" } };
    }
    case "cut_before_response":
    case "html_502":
      return processed ? null : { status: 500, body: "", headers: {}, reply: null };
    default:
      return null;
  }
}

/** Completes the request and waits until its notifications were delivered once. */
async function notifyEarly(api: Api, reply: Reply): Promise<void> {
  const notifications = reply.complete();
  api.platform.state.commit();
  await Promise.all(notifications.map((id) => api.delivery.send(id)));
}

const badGateway = `<html>
<head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center></body>
</html>
`;

/** Sends the response after the configured delay, or what the fault makes of it, and completes the request. */
function send(
  api: Api,
  response: ServerResponse,
  prepared: Prepared,
  fault: PendingFault | null,
  finish: () => void = () => {},
): void {
  const delayMs =
    api.platform.settings.responseDelayMs + (fault?.fault === "slow" ? fault.delayMs : 0);
  const sendNow = () => {
    writeResponse(response, prepared, fault);
    finish();
    if (prepared.reply) completeLater(api, prepared.reply);
  };
  if (delayMs === 0) sendNow();
  else setTimeout(sendNow, delayMs);
}

function writeResponse(
  response: ServerResponse,
  { status, body, headers }: Prepared,
  fault: PendingFault | null,
): void {
  if (fault?.fault === "cut_before_response") {
    response.socket?.destroy();
    return;
  }
  if (fault?.fault === "html_502") {
    response.writeHead(502, { "content-type": "text/html" }).end(badGateway);
    return;
  }
  response.writeHead(status, {
    "content-type": "application/json;charset=UTF-8",
    "content-length": Buffer.byteLength(body),
    ...headers,
  });
  if (fault?.fault === "cut_in_body") {
    const half = body.slice(0, body.length / 2);
    response.write(half, () => response.socket?.destroy());
  } else {
    response.end(body);
  }
}

function completeLater(api: Api, reply: Reply): void {
  const { clock, state } = api.platform;
  const complete = () => {
    const notifications = reply.complete();
    state.commit();
    api.delivery.dispatch(notifications);
  };
  if (reply.afterMs === 0) setImmediate(complete);
  else clock.schedule(clock.nowMs() + reply.afterMs, complete);
}
