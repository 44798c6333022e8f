import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { EventDelivery } from "@florin/shared-fake/event-delivery.ts";
import { eventFaults } from "@florin/shared-fake/event-outbox.ts";
import { findFault, preventsExecution } from "@florin/shared-fake/injected-faults.ts";
import { headerOf } from "@florin/shared-fake/local-server.ts";
import { type FakeResponse, writeResponse } from "@florin/shared-fake/write-response.ts";
import { closeDispute, retrieveDispute, updateDispute } from "./disputes.ts";
import { connectionFaults, type Endpoint, lateFaults, type PendingFault } from "./faults.ts";
import { createFile } from "./files.ts";
import { parseForm } from "./form.ts";
import {
  cancelIntent,
  captureIntent,
  confirmIntent,
  createIntent,
  findIntent,
  intentObject,
  searchIntents,
} from "./payment-intents.ts";
import { listBalanceTransactions, retrievePayout } from "./payouts.ts";
import type { Platform } from "./platform.ts";
import type { Account, StoredEvent } from "./records.ts";
import { createRefund, listRefunds } from "./refunds.ts";
import { apiVersion } from "./render.ts";
import type { Context } from "./request-context.ts";
import { createSetupIntent, findSetupIntent, setupIntentObject } from "./setup-intents.ts";
import { noSuch, StripeError } from "./stripe-error.ts";
import { retrieveToken } from "./tokens.ts";

export type Api = { readonly platform: Platform; readonly delivery: EventDelivery<StoredEvent> };

type Received = {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly query: string;
  readonly body: Buffer;
};

/** An endpoint and its name in faults. */
type Route = {
  readonly endpoint: Endpoint;
  readonly handle: (context: Context, received: Received) => object | Promise<object>;
};

const intentVerbs: Readonly<Record<string, Route>> = {
  confirm: {
    endpoint: "confirm",
    handle: (context, { path }) => confirmIntent(context, idIn(path)),
  },
  capture: {
    endpoint: "capture",
    handle: (context, { path }) => captureIntent(context, idIn(path)),
  },
  cancel: { endpoint: "cancel", handle: (context, { path }) => cancelIntent(context, idIn(path)) },
};

/** Returns the ID in a path such as `/v1/payment_intents/pi_1/confirm`. */
function idIn(path: string): string {
  return path.split("/")[3] as string;
}

function routeOf(method: string, path: string): Route | null {
  const verb = /^\/v1\/payment_intents\/\w+\/(\w+)$/.exec(path)?.[1];
  if (method === "POST" && verb !== undefined) return intentVerbs[verb] ?? null;
  const route = routes[`${method} ${path}`];
  if (route) return route;
  const [, , noun, id, ...more] = path.split("/");
  if (id === undefined) return null;
  switch (`${method} ${noun}${more.map((one) => `/${one}`).join("")}`) {
    case "GET payment_intents":
      return {
        endpoint: "retrieve",
        handle: (context) => intentObject(context, findIntent(context, id)),
      };
    case "GET setup_intents":
      return {
        endpoint: "retrieve_setup",
        handle: (context) => setupIntentObject(context, findSetupIntent(context, id)),
      };
    case "GET tokens":
      return { endpoint: "tokens", handle: (context) => retrieveToken(context, id) };
    case "GET disputes":
      return { endpoint: "disputes", handle: (context) => retrieveDispute(context, id) };
    case "POST disputes":
      return { endpoint: "disputes", handle: (context) => updateDispute(context, id) };
    case "POST disputes/close":
      return { endpoint: "close_dispute", handle: (context) => closeDispute(context, id) };
    case "GET payouts":
      return { endpoint: "payouts", handle: (context) => retrievePayout(context, id) };
    default:
      return null;
  }
}

const routes: Readonly<Record<string, Route>> = {
  "POST /v1/payment_intents": { endpoint: "create", handle: createIntent },
  "GET /v1/payment_intents/search": { endpoint: "search", handle: searchIntents },
  "POST /v1/setup_intents": { endpoint: "setup", handle: createSetupIntent },
  "GET /v1/refunds": { endpoint: "list_refunds", handle: listRefunds },
  "POST /v1/refunds": {
    endpoint: "refunds",
    handle(context) {
      const late = context.platform.takeFault("refunds", lateFaults, context.account.id);
      return createRefund(context, late?.delayMs ?? null);
    },
  },
  "GET /v1/balance_transactions": {
    endpoint: "balance_transactions",
    handle: listBalanceTransactions,
  },
  "GET /v1/account": {
    endpoint: "account",
    handle: ({ account }) => ({
      id: account.id,
      object: "account",
      charges_enabled: true,
      country: "US",
      default_currency: "usd",
      type: "standard",
    }),
  },
  "POST /v1/files": {
    endpoint: "files",
    handle: (context, { request, body }) =>
      createFile(context, String(request.headers["content-type"]), body),
  },
};

const headers = {
  "content-type": "application/json",
  "stripe-version": apiVersion,
  "request-id": "req_fake",
};

/** A response before its delay and its fault are applied. */
type Prepared = FakeResponse & {
  readonly afterResponse: () => void;
};

/** Handles a request to the API. Sends no response if a fault cuts the connection. */
export async function handleApiRequest(
  api: Api,
  received: Received,
  response: ServerResponse,
): Promise<void> {
  const { platform } = api;
  const { request, path } = received;
  const route = routeOf(request.method ?? "", path);
  const account = accountOf(platform, request);
  if (account instanceof StripeError || route === null) {
    const error = account instanceof StripeError ? account : noSuch("endpoint", path);
    return writeResponse(response, errorResponse(error), null);
  }
  const { endpoint } = route;
  const key = headerOf(request, "idempotency-key");
  platform.requests.record({
    at: platform.clock.nowMs(),
    endpoint,
    account: account.id,
    idempotencyKey: key,
  });
  const fault = platform.takeFault(endpoint, connectionFaults, account.id);
  if (fault?.fault === "arrives_late") {
    platform.late.set(account.id, () => executeOnce(api, route, account, received, key));
    response.socket?.destroy();
    return;
  }
  const early = fault && responseWithoutExecution(fault);
  const isEarly =
    findFault(platform.faults.values(), endpoint, ["early_event"], account.id) !== null;
  const prepared = early ?? (await executeOnce(api, route, account, received, key));
  const late = endpoint === "retrieve" ? platform.late.get(account.id) : undefined;
  if (late) {
    platform.late.delete(account.id);
    await late();
  }
  const caused = platform.outbox.takeCaused();
  if (isEarly) await Promise.all(caused.map((id) => api.delivery.send(id)));
  else setImmediate(() => api.delivery.dispatch(caused));
  const delayMs = platform.responseDelayMs + (fault?.delayMs ?? 0);
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  writeResponse(response, prepared, fault);
  prepared.afterResponse();
}

/** Returns the account that the key and `Stripe-Account` name (docs.stripe.com/connect/authentication). */
function accountOf(platform: Platform, request: IncomingMessage): Account | StripeError {
  const key = /^Bearer (.+)$/.exec(headerOf(request, "authorization") ?? "")?.[1];
  const owner = [...platform.accounts.values()].find(
    (one) => one.platform === null && one.secretKey === key,
  );
  if (!owner) {
    return new StripeError(401, "invalid_request_error", "Invalid API Key provided.");
  }
  const id = headerOf(request, "stripe-account");
  if (id === null || id === owner.id) return owner;
  const account = platform.accounts.get(id);
  if (account?.platform === owner.id) return account;
  return new StripeError(
    403,
    "invalid_request_error",
    `The provided key does not have access to account '${id}'.`,
    { code: "account_invalid" },
  );
}

/** Stripe keeps idempotency keys for at least 24 hours. The fake deletes them after exactly 24. */
const keyLifeMs = 24 * 60 * 60 * 1000;

/**
 * The idempotency keys of requests in flight. All fakes of the process can share this set, because each entry contains
 * the account ID.
 */
const inFlight = new Set<string>();

/** Executes a request, or returns the response that is stored for its idempotency key. */
async function executeOnce(
  { platform }: Api,
  route: Route,
  account: Account,
  received: Received,
  key: string | null,
): Promise<Prepared> {
  const id = `${account.platform ?? account.id} ${account.id} ${key}`;
  const digest = hash("sha256", Buffer.concat([Buffer.from(`${received.path}\n`), received.body]));
  const stored = key === null ? undefined : platform.responses.get(id);
  if (key !== null && inFlight.has(id)) {
    const message = "There is currently another in-progress request using this Idempotent Key.";
    return errorResponse(
      new StripeError(409, "idempotency_error", message, { code: "idempotency_key_in_use" }),
    );
  }
  if (stored && stored.storedAt + keyLifeMs > platform.clock.nowMs()) {
    if (stored.digest !== digest) {
      const message = "Keys for idempotent requests can only be used with the same parameters.";
      return errorResponse(new StripeError(400, "idempotency_error", message));
    }
    return {
      ...plain(stored.status, stored.body),
      headers: { ...headers, "idempotent-replayed": "true" },
    };
  }
  const store = (status: number, body: string) => {
    if (key === null) return;
    platform.responses.set(id, { digest, status, body, storedAt: platform.clock.nowMs() });
  };
  if (key !== null) inFlight.add(id);
  const afterResponse = () => inFlight.delete(id);
  try {
    const params = parseForm(
      received.request.method === "GET" || route.endpoint === "files"
        ? received.query
        : received.body.toString("utf8"),
    );
    const eventFault = platform.takeFault(route.endpoint, eventFaults, account.id)?.fault ?? null;
    const body = JSON.stringify(
      await route.handle({ platform, account, params, eventFault }, received),
    );
    store(200, body);
    return { ...plain(200, body), afterResponse };
  } catch (error) {
    if (!(error instanceof StripeError)) throw error;
    const prepared = errorResponse(error);
    if (error.isExecuted) store(prepared.status, prepared.body);
    return { ...prepared, afterResponse };
  }
}

function plain(status: number, body: string): Prepared {
  return { status, body, headers, afterResponse: () => {} };
}

function errorResponse(error: StripeError): Prepared {
  return plain(error.status, JSON.stringify(error.body));
}

/** Returns the response with which a fault replaces the execution of the request, or null if it is executed. */
function responseWithoutExecution(fault: PendingFault): Prepared | null {
  switch (fault.fault) {
    case "too_many_requests":
      return errorResponse(
        new StripeError(429, "invalid_request_error", "Request rate limit exceeded.", {
          code: "rate_limit",
        }),
      );
    case "conflict":
      return errorResponse(
        new StripeError(409, "invalid_request_error", "The object is locked by another request.", {
          code: "lock_timeout",
        }),
      );
    case "api_error":
      return errorResponse(new StripeError(500, "api_error", "An unknown error occurred."));
    default:
      return preventsExecution(fault) ? plain(500, "") : null;
  }
}
