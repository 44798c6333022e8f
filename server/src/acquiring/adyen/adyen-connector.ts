import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { createAcquirerClient, type SendResult } from "../acquirer-client.ts";
import type {
  Connection,
  ConnectionSettings,
  Environment,
  TestResult,
} from "../connections/connection.ts";
import type { Connector, ParameterProblem } from "../connector.ts";
import { readEncryptedToken } from "../encrypted-token.ts";
import { createAdyenProcessor } from "./adyen-processor.ts";
import { certifyAdyen } from "./certify-adyen.ts";
import { toAdyenAmount } from "./currencies.ts";
import { disputeServiceUrl } from "./dispute-service.ts";
import { fetchReport } from "./fetch-report.ts";
import { shownFieldsOf } from "./notification-fields.ts";
import { readReport } from "./read-report.ts";
import { baseUrl } from "./requests.ts";
import { verifyNotifications } from "./verify-notifications.ts";
import { fromStoredItem, notificationOf, readHmacKey } from "./webhooks.ts";

/** Adyen decrypts the tokens of both wallets, if the merchant account is set up for them. */
const wallets: ReadonlySet<DigitalWallet> = new Set(["google_pay", "apple_pay"]);

/** The connector for Adyen (docs/operating/adyen.md). */
export const adyenConnector: Connector = {
  title: "Adyen",
  version: "Adyen Checkout API v72",
  rejectSettings,
  rejectNotificationKey: (key) =>
    readHmacKey(key) === null
      ? "The HMAC key of Adyen's Customer Area has 64 hexadecimal digits."
      : null,
  // Most payments are settled after one to three working days, and holidays delay them
  // (docs.adyen.com/account/getting-paid).
  settlesWithinMs: 7 * 24 * 60 * 60 * 1000,
  acceptsNetworkTokens: true,
  gateway: {
    rejectPublicKey: () => "Adyen needs no public key for wallets. Leave the parameter out.",
    walletsOf: () => wallets,
    // The parameters of docs.adyen.com/payment-methods/google-pay/api-only.
    googlePay: (_connection, { merchantAccount }) => ({
      gateway: "adyen",
      gatewayMerchantId: merchantAccount,
    }),
    readToken: readEncryptedToken,
  },
  represents: (price) => toAdyenAmount(price) !== null,
  createProcessor({ connection, secrets, clientOf, origin, ...options }) {
    const url = paymentsUrl(connection, origin);
    const disputesUrl = replaceOrigin(disputeServiceUrl(connection.environment === "live"), origin);
    return createAdyenProcessor({
      ...options,
      apiKey: secrets.apiKey,
      client: clientOf(url.origin),
      basePath: url.pathname,
      disputes: { client: clientOf(disputesUrl.origin), basePath: disputesUrl.pathname },
    });
  },
  /**
   * Requests the payment methods of the merchant account, because Adyen returns them only if the API key has access to
   * the account (`/paymentMethods` of CheckoutService-v72.json).
   */
  async testConnection(connection, { apiKey }, { timers, origin }) {
    const url = paymentsUrl(connection, origin);
    const client = createAcquirerClient({ origin: url.origin, timers });
    const result = await client.send({
      method: "POST",
      path: `${url.pathname}/paymentMethods`,
      headers: { "content-type": "application/json", "x-api-key": apiKey.reveal() },
      body: JSON.stringify({ merchantAccount: connection.settings.merchantAccount }),
    });
    await client.close();
    return testResult(result);
  },
  verifyNotifications: (open, { body }, now) => verifyNotifications(open, body, now),
  notificationOf: (item, receivedAt, origin) =>
    notificationOf(fromStoredItem(item), receivedAt, origin),
  shownFieldsOf: (item) => shownFieldsOf(fromStoredItem(item)),
  findCharge: null,
  sendsSecondChargebacks: true,
  fetchReport: ({ secrets }, notification, { timers }) =>
    fetchReport(secrets, notification, timers),
  readReport: (file) => readReport(file, null),
  certify: certifyAdyen,
};

/** Rejects settings of the live environment without a live URL prefix, and settings of a sandbox with one. */
function rejectSettings(
  { livePrefix }: ConnectionSettings,
  environment: Environment,
): ParameterProblem | null {
  const param = "settings.live_prefix";
  if (environment === "live" && livePrefix === null) {
    const message =
      "`settings.live_prefix` is missing. Add the live URL prefix, which Adyen's Customer Area shows under Developers > API URLs.";
    return { code: "parameter_missing", param, message };
  }
  if (environment === "sandbox" && livePrefix !== null) {
    const message =
      "`settings.live_prefix` is not allowed for a sandbox connection. Leave the parameter out.";
    return { code: "parameter_invalid", param, message };
  }
  return null;
}

/** Returns the base URL of the payments API for the connection. */
function paymentsUrl({ environment, settings }: Connection, origin: string | undefined): URL {
  const isLive = environment === "live" && settings.livePrefix !== null;
  const url = baseUrl(isLive ? { live: true, prefix: settings.livePrefix } : { live: false });
  return replaceOrigin(url, origin);
}

function replaceOrigin(url: string, origin: string | undefined): URL {
  const { href, pathname } = new URL(url);
  return origin === undefined ? new URL(href) : new URL(pathname, origin);
}

function testResult(result: SendResult): TestResult {
  if (result.kind !== "response") {
    return {
      kind: "failed",
      problem: `Adyen could not be reached (${result.problem}). Check that the network of this service allows requests to Adyen, then try again.`,
    };
  }
  const { status } = result.response;
  switch (status) {
    case 200:
      return { kind: "passed" };
    case 401:
      return {
        kind: "failed",
        problem: "Adyen rejected the API key (status 401). Replace it with a valid one.",
      };
    case 403:
    case 422:
      return {
        kind: "failed",
        problem: `The API key does not have access to this merchant account (status ${status}). Check the name of the merchant account, or give the API key access to it in Adyen's Customer Area.`,
      };
    default:
      return { kind: "failed", problem: `Adyen returned status ${status}.` };
  }
}
