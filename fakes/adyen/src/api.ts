import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonObject } from "@florin/shared-fake/json-object.ts";
import { headerOf } from "@florin/shared-fake/local-server.ts";
import { authorize, submitDetails } from "./authorize.ts";
import { reportsPath } from "./close-batch.ts";
import {
  disputeServicePath,
  handleDisputeOperation,
  isDisputeOperation,
} from "./dispute-service.ts";
import { connectionFaults, type Endpoint } from "./faults.ts";
import { digestOf, idOfKey } from "./idempotency.ts";
import type { MerchantAccount } from "./merchant-account.ts";
import type { Platform, ReceivedRequest } from "./platform.ts";
import type { Reply } from "./reply.ts";
import { parseBody, textField } from "./request-fields.ts";
import {
  isModificationEndpoint,
  requestModification,
  requestTechnicalCancel,
} from "./request-modification.ts";
import {
  type Api,
  errorResponse,
  notifyEarly,
  type Prepared,
  responseWithoutProcessing,
  send,
  withoutReply,
} from "./send-response.ts";
import { invalidMerchantAccount, notFound, ServiceError, unauthorized } from "./service-error.ts";

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

/** Returns the payment methods of the merchant account. In the fake, these are only cards. */
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

/**
 * The operations that end a dispute for the merchant have separate endpoints, so that a test can add faults for them
 * only.
 */
const finalDisputeOperations: Readonly<Record<string, Endpoint>> = {
  defendDispute: "defend_dispute",
  acceptDispute: "accept_dispute",
};

function disputeRoute(name: string): Route | null {
  if (!isDisputeOperation(name)) return null;
  return {
    endpoint: finalDisputeOperations[name] ?? "disputes",
    handle: (platform, accounts, body) => handleDisputeOperation(platform, accounts, name, body),
  };
}

function accountOf(accounts: readonly MerchantAccount[], body: JsonObject): MerchantAccount {
  const account = accounts.find(({ merchantAccount }) => merchantAccount === body.merchantAccount);
  if (!account) throw invalidMerchantAccount();
  return account;
}

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
  const fields = readFields(body);
  const { merchantAccount, reference } = namesIn(fields);
  const idempotencyKey = headerOf(request, "idempotency-key");
  platform.requests.record({
    at: platform.clock.nowMs(),
    endpoint: route.endpoint,
    merchantAccount,
    reference,
    idempotencyKey,
  });
  const fault = platform.takeFault(route.endpoint, connectionFaults, merchantAccount);
  const early = fault === null ? null : responseWithoutProcessing(fault);
  if (early !== null) {
    platform.state.commit();
    send(api, response, early, fault);
    return;
  }
  const prepared = executeOnce(api, route, accounts, { path, body, fields }, idempotencyKey);
  platform.state.commit();
  if (prepared.reply?.notifiesEarly) {
    notifyEarly(api, prepared.reply).then(() => send(api, response, prepared, fault));
  } else {
    send(api, response, prepared, fault);
  }
}

/** Returns the fields of the body, or the error with which the endpoint rejects it. */
function readFields(body: Buffer): JsonObject | ServiceError {
  try {
    return parseBody(body);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Returns the merchant account and the reference of a request. Each is null if the request does not contain it. */
function namesIn(
  fields: JsonObject | ServiceError,
): Pick<ReceivedRequest, "merchantAccount" | "reference"> {
  try {
    if (fields instanceof ServiceError) throw fields;
    return {
      merchantAccount:
        textField(fields, "merchantAccount", 80) ?? textField(fields, "merchantAccountCode", 80),
      reference: textField(fields, "reference", 80) ?? textField(fields, "disputePspReference", 80),
    };
  } catch {
    // The endpoint's handler rejects invalid fields.
    return { merchantAccount: null, reference: null };
  }
}

type Received = {
  readonly path: string;
  readonly body: Buffer;
  readonly fields: JsonObject | ServiceError;
};

/** Executes a request, or returns the response that is stored for its idempotency key. */
function executeOnce(
  { platform, keys }: Api,
  route: Route,
  accounts: readonly MerchantAccount[],
  { path, body, fields }: Received,
  key: string | null,
): Prepared {
  const { companyAccount } = accounts[0] as MerchantAccount;
  const digest = key === null ? "" : digestOf(companyAccount, path, body);
  const headers: Record<string, string> = key === null ? {} : { "idempotency-key": key };
  try {
    const id = key === null ? null : idOfKey(companyAccount, key);
    const stored = id === null ? null : keys.find(id, digest);
    if (stored) return { ...withoutReply(stored.status, stored.body), headers };
    if (fields instanceof ServiceError) throw fields;
    const reply = route.handle(platform, accounts, fields);
    const text = JSON.stringify(reply.body);
    if (id === null) return { ...withoutReply(reply.status, text), reply };
    keys.store(id, { digest, status: reply.status, body: text });
    keys.begin(id);
    const afterResponse = () => keys.end(id);
    return { status: reply.status, body: text, headers, reply, afterResponse };
  } catch (error) {
    if (error instanceof ServiceError) return errorResponse(error);
    throw error;
  }
}

/** Sends a settlement report if the client's API key may use the report's merchant account. */
function sendReport(
  api: Api,
  response: ServerResponse,
  accounts: readonly MerchantAccount[],
  name: string,
): void {
  const batch = api.platform.state.batches.get(name);
  const isAllowed = accounts.some((account) => account.merchantAccount === batch?.merchantAccount);
  const fault = api.platform.takeFault("reports", connectionFaults, null);
  api.platform.state.commit();
  const early = fault === null ? null : responseWithoutProcessing(fault);
  if (accounts.length === 0) {
    send(api, response, errorResponse(unauthorized()), fault);
  } else if (early !== null || !batch || !isAllowed) {
    send(api, response, early ?? errorResponse(notFound()), fault);
  } else {
    const headers = { "content-type": "text/csv;charset=UTF-8" };
    send(api, response, { ...withoutReply(200, batch.report), headers }, fault);
  }
}

function accountsOf(platform: Platform, request: IncomingMessage): MerchantAccount[] {
  const apiKey = headerOf(request, "x-api-key");
  return [...platform.state.accounts.values()].filter((account) => account.apiKey === apiKey);
}
