import type { IncomingMessage, ServerResponse } from "node:http";
import type { EventDelivery } from "@florin/shared-fake/event-delivery.ts";
import { eventFaults } from "@florin/shared-fake/event-outbox.ts";
import { findFault, preventsExecution } from "@florin/shared-fake/injected-faults.ts";
import { headerOf } from "@florin/shared-fake/local-server.ts";
import { type FakeResponse, writeResponse } from "@florin/shared-fake/write-response.ts";
import { ApiError, notFound } from "./api-error.ts";
import type { PendingFault } from "./faults.ts";
import { connectionFaults, type Endpoint, outcomeFaults } from "./faults.ts";
import type { Platform } from "./platform.ts";
import type { Account, StoredEvent } from "./records.ts";
import type { Context, Deferred, Reply } from "./request-context.ts";
import { textOf } from "./request-fields.ts";
import { type Route, routeOf } from "./routes.ts";

export type Api = { readonly platform: Platform; readonly delivery: EventDelivery<StoredEvent> };

export type Received = {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly bytes: Buffer;
};

/** A request whose account and route are known. */
type Call = {
  readonly route: Route;
  readonly account: Account;
  readonly received: Received;
  readonly body: Readonly<Record<string, unknown>>;
  readonly channel: string | null;
  readonly key: string | null;
};

/** A response before its delay and its fault are applied. */
type Prepared = FakeResponse & {
  /** The executions of the actions that the request has caused. */
  readonly deferred: readonly Deferred[];
  readonly afterResponse: () => void;
};

/** The ID in the header `Cko-Request-Id` and in errors. It is the same for every request. */
const requestId = "fake";

/** The version of the API in the header `Cko-Version`. */
const apiVersion = "1.0.0";

/** Handles a request to the API. Sends no response if a fault cuts the connection. */
export async function handleApiRequest(
  api: Api,
  received: Received,
  response: ServerResponse,
): Promise<void> {
  const { platform } = api;
  const route = routeOf(received.request.method ?? "", received.path);
  const account = accountOf(platform, received.request, route?.endpoint === "tokens");
  if (account === null)
    return writeResponse(response, errorResponse(new ApiError(401, null)), null);
  if (route === null) return writeResponse(response, errorResponse(notFound()), null);
  const { endpoint } = route;
  const body = bodyOf(received);
  const channel = channelOf(platform, account, route, received, body ?? {});
  const key = headerOf(received.request, "cko-idempotency-key");
  const reference = textOf(body, "reference") ?? received.query.get("reference");
  if (endpoint === "payments" && reference !== null && channel !== null) {
    platform.channelsByReference.set(reference, channel);
  }
  platform.requests.record({
    at: platform.clock.nowMs(),
    endpoint,
    account: account.id,
    channel,
    reference,
    idempotencyKey: key,
  });
  if (body === null) {
    return writeResponse(
      response,
      errorResponse(new ApiError(422, ["request_json_invalid"])),
      null,
    );
  }
  const call: Call = { route, account, received, body, channel, key };
  const fault = platform.takeFault(endpoint, connectionFaults, channel);
  if (fault?.fault === "arrives_late") {
    const execute = async () => {
      const { deferred, afterResponse } = await executeOnce(api, call);
      afterResponse();
      start(api, deferred);
    };
    platform.late.push({ channel, execute });
    response.socket?.destroy();
    return;
  }
  const isEarly = findFault(platform.faults.values(), endpoint, ["early_event"], channel) !== null;
  const prepared = (fault && withoutExecution(fault)) ?? (await executeOnce(api, call));
  if (isInquiry(endpoint)) await executeLate(platform, channel);
  if (isEarly) await runEarly(api, prepared.deferred);
  const caused = platform.outbox.takeCaused();
  if (isEarly) await Promise.all(caused.map((id) => api.delivery.send(id)));
  else setImmediate(() => api.delivery.dispatch(caused));
  const delayMs = platform.responseDelayMs + (fault?.delayMs ?? 0);
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  writeResponse(response, prepared, fault);
  prepared.afterResponse();
  if (!isEarly) start(api, prepared.deferred);
}

/**
 * Returns the account whose key the request contains. Tokens are created with the public key, and all other requests
 * are sent with the secret key (api-reference.checkout.com, Authentication).
 */
function accountOf(
  platform: Platform,
  request: IncomingMessage,
  createsToken: boolean,
): Account | null {
  const key = /^Bearer (.+)$/.exec(headerOf(request, "authorization") ?? "")?.[1];
  const accounts = [...platform.accounts.values()];
  return accounts.find((one) => (createsToken ? one.publicKey : one.secretKey) === key) ?? null;
}

/** Returns the JSON object of the body, an empty object without a body, or null if the body is invalid. */
function bodyOf({ request, bytes }: Received): Readonly<Record<string, unknown>> | null {
  const isJson = headerOf(request, "content-type")?.startsWith("application/json") === true;
  if (!isJson || bytes.length === 0) return {};
  try {
    const body = JSON.parse(bytes.toString("utf8"));
    return typeof body === "object" && body !== null && !Array.isArray(body) ? body : null;
  } catch {
    return null;
  }
}

/** Returns the processing channel that the request concerns, or null if it concerns the whole account. */
function channelOf(
  platform: Platform,
  account: Account,
  { endpoint, id }: Route,
  { query }: Received,
  body: Readonly<Record<string, unknown>>,
): string | null {
  if (endpoint === "payments") {
    const own = [...platform.channels.values()].filter((one) => one.account === account.id);
    return textOf(body, "processing_channel_id") ?? (own.length === 1 ? own[0]?.id : null) ?? null;
  }
  if (endpoint === "tokens") {
    const own = [...platform.channels.values()].filter((one) => one.account === account.id);
    return (own.length === 1 ? own[0]?.id : null) ?? null;
  }
  if (endpoint === "list") {
    return platform.channelsByReference.get(query.get("reference") ?? "") ?? null;
  }
  const bySession = id?.startsWith("sid_")
    ? [...platform.payments.values()].find(({ redirect }) => redirect?.session === id)
    : undefined;
  const found = platform.payments.get(id ?? "") ?? platform.disputes.get(id ?? "") ?? bySession;
  return found?.channel ?? null;
}

function isInquiry(endpoint: Endpoint): boolean {
  return endpoint === "list" || endpoint === "retrieve" || endpoint === "actions";
}

/** Executes the requests that the fault `arrives_late` has delayed in this channel. */
async function executeLate(platform: Platform, channel: string | null): Promise<void> {
  const isDue = (late: { readonly channel: string | null }) => late.channel === channel;
  const due = platform.late.filter(isDue);
  const rest = platform.late.filter((late) => !isDue(late));
  platform.late.splice(0, platform.late.length, ...rest);
  for (const { execute } of due) await execute();
}

/** Processes accepted actions after their delay. */
function start({ platform }: Api, deferred: readonly Deferred[]): void {
  for (const { delayMs, run } of deferred) {
    platform.clock.schedule(platform.clock.nowMs() + delayMs, () => {
      run();
      platform.dispatchCaused();
    });
  }
}

/** Processes accepted actions before the response, so that their events precede it. */
async function runEarly({ platform, delivery }: Api, deferred: readonly Deferred[]): Promise<void> {
  for (const { run } of deferred) run();
  await Promise.all(platform.outbox.takeCaused().map((id) => delivery.send(id)));
}

/**
 * Checkout.com keeps keys for 24 hours by default, and only for requests with a 2xx response
 * (checkout.com/docs/payments/manage-payments/retry-a-payment).
 */
const keyLifeMs = 24 * 60 * 60 * 1000;

/** The endpoints with idempotent requests (same page). Reversals are not among them. */
const idempotent: ReadonlySet<Endpoint> = new Set(["payments", "captures", "voids", "refunds"]);

/**
 * The idempotency keys of requests in flight. All fakes of the process can share this set, because each entry contains
 * the account ID.
 */
const inFlight = new Set<string>();

/** Executes a request, or returns the response that is stored for its idempotency key. */
async function executeOnce({ platform }: Api, call: Call): Promise<Prepared> {
  const { route, account, key } = call;
  if (key === null || !idempotent.has(route.endpoint)) return execute(platform, call);
  const id = `${account.id} ${key}`;
  if (inFlight.has(id)) return conflict();
  const stored = platform.responses.get(id);
  if (stored && stored.storedAt + keyLifeMs > platform.clock.nowMs()) {
    return plain(stored.status, stored.body);
  }
  inFlight.add(id);
  const prepared = await execute(platform, call).catch((error: unknown) => {
    inFlight.delete(id);
    throw error;
  });
  if (prepared.status < 300) {
    const { status, body } = prepared;
    platform.responses.set(id, { status, body, storedAt: platform.clock.nowMs() });
  }
  return { ...prepared, afterResponse: () => inFlight.delete(id) };
}

async function execute(platform: Platform, call: Call): Promise<Prepared> {
  const { route, account, received, body, channel } = call;
  const { endpoint } = route;
  const deferred: Deferred[] = [];
  const context: Context = {
    platform,
    account,
    body,
    query: received.query,
    eventFault: platform.takeFault(endpoint, eventFaults, channel)?.fault ?? null,
    declinesAfterMs: platform.takeFault(endpoint, outcomeFaults, channel)?.delayMs ?? null,
    defer: (one) => deferred.push(one),
  };
  try {
    const reply: Reply = await route.handle(context, received);
    return { ...rendered(reply), deferred };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return errorResponse(error);
  }
}

function rendered({ status, body }: Reply): Prepared {
  if (typeof body === "string") return plain(status, body, "text/csv");
  return plain(status, body === null ? "" : JSON.stringify(body));
}

function plain(status: number, body: string, type = "application/json"): Prepared {
  const headers = {
    ...(body !== "" && { "content-type": type }),
    "cko-request-id": requestId,
    "cko-version": apiVersion,
  };
  return { status, body, headers, deferred: [], afterResponse: () => {} };
}

function errorResponse(error: ApiError): Prepared {
  return plain(error.status, error.body(requestId));
}

/**
 * Returns the response to a request with the idempotency key of another request that is still in flight
 * (support.checkout.com/hc/en-us/articles/24570669653010).
 */
function conflict(): Prepared {
  return errorResponse(new ApiError(409, ["request_in_progress"]));
}

/** Returns the response with which a fault replaces the execution of the request, or null if it is executed. */
function withoutExecution(fault: PendingFault): Prepared | null {
  switch (fault.fault) {
    case "too_many_requests":
      return errorResponse(new ApiError(429, ["api_calls_quota_exceeded"]));
    case "conflict":
      return conflict();
    default:
      return preventsExecution(fault) ? plain(502, "") : null;
  }
}
