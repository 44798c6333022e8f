import { request } from "node:http";
import { createRequire } from "node:module";

/** A JSON object whose fields the tests read without a type. The tests validate it against Adyen's OpenAPI document. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads
export type Json = Record<string, any>;

type Options = { readonly idempotencyKey?: string };

/** The calls of Adyen's official SDK that the tests make. */
export type AdyenSdk = {
  readonly payments: (body: Json, options?: Options) => Promise<Json>;
  readonly details: (body: Json) => Promise<Json>;
  readonly capture: (psp: string, body: Json, options?: Options) => Promise<Json>;
  readonly cancel: (psp: string, body: Json) => Promise<Json>;
  readonly refund: (psp: string, body: Json, options?: Options) => Promise<Json>;
  readonly reverse: (psp: string, body: Json) => Promise<Json>;
  readonly cancelByReference: (body: Json) => Promise<Json>;
  readonly disputes: {
    readonly retrieveApplicableDefenseReasons: (body: Json) => Promise<Json>;
    readonly supplyDefenseDocument: (body: Json) => Promise<Json>;
    readonly deleteDisputeDefenseDocument: (body: Json) => Promise<Json>;
    readonly defendDispute: (body: Json) => Promise<Json>;
    readonly acceptDispute: (body: Json) => Promise<Json>;
  };
};

// The SDK is a CommonJS package. The tests do not use its types, because they check the responses themselves.
const sdk = createRequire(import.meta.url)("@adyen/api-library");

/** Creates the SDK's clients. They use the SDK's own handling of requests and responses, but no TLS. */
export function connectSdk(fakeUrl: string, apiKey: string): AdyenSdk {
  const fake = new URL(fakeUrl);
  class PlainHttpClient extends sdk.HttpURLConnectionClient {
    createRequest(endpoint: string, options: Json) {
      const url = new URL(endpoint);
      const { headers = {}, idempotencyKey, params } = options;
      if (idempotencyKey) headers["Idempotency-Key"] = idempotencyKey;
      const query = params ? `?${new URLSearchParams(params)}` : "";
      return request({
        host: fake.hostname,
        port: fake.port,
        path: url.pathname + query,
        method: options.method ?? "POST",
        headers,
        agent: false,
      });
    }
  }
  const config = { apiKey, environment: sdk.EnvironmentEnum.TEST };
  const client = new sdk.Client(config, new PlainHttpClient());
  const { PaymentsApi, ModificationsApi } = new sdk.CheckoutAPI(client);
  return {
    payments: (body, options) => PaymentsApi.payments(body, options),
    details: (body) => PaymentsApi.paymentsDetails(body),
    capture: (psp, body, options) => ModificationsApi.captureAuthorisedPayment(psp, body, options),
    cancel: (psp, body) => ModificationsApi.cancelAuthorisedPaymentByPspReference(psp, body),
    refund: (psp, body, options) => ModificationsApi.refundCapturedPayment(psp, body, options),
    reverse: (psp, body) => ModificationsApi.refundOrCancelPayment(psp, body),
    cancelByReference: (body) => ModificationsApi.cancelAuthorisedPayment(body),
    disputes: new sdk.DisputesAPI(client).DisputesApi,
  };
}

/** Returns whether the SDK accepts the signature of a notification. */
export function sdkAcceptsSignature(item: Json, hmacKey: string): boolean {
  return new sdk.hmacValidator().validateHMAC(item, hmacKey);
}
