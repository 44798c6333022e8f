import { parseId } from "../../core/ids.ts";
import { createAcquirerClient, type SendResult } from "../acquirer-client.ts";
import type { Connection, TestResult } from "../connections/connection.ts";
import type { Connector } from "../connector.ts";
import { createAdyenProcessor } from "./adyen-processor.ts";
import { certifyAdyen } from "./certify-adyen.ts";
import { toAdyenAmount } from "./currencies.ts";
import { disputeServiceUrl } from "./dispute-service.ts";
import { fetchReport } from "./fetch-report.ts";
import { shownFieldsOf } from "./notification-fields.ts";
import { readReport } from "./read-report.ts";
import { baseUrl } from "./requests.ts";
import { verifyNotifications } from "./verify-notifications.ts";
import { fromStoredItem, notificationOf } from "./webhooks.ts";

/** The connector for Adyen (docs/operating/adyen.md). */
export const adyenConnector: Connector = {
  title: "Adyen",
  version: "Adyen Checkout API v72",
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
   * Requests the payment methods of the merchant account, which Adyen returns only if the API key has access to the
   * account (`/paymentMethods` of CheckoutService-v72.json).
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
  verifyNotifications,
  notificationOf: (item, receivedAt, origin) =>
    notificationOf(fromStoredItem(item), receivedAt, origin),
  authorizedChargeOf(item) {
    const { eventCode, merchantReference } = fromStoredItem(item);
    return eventCode === "AUTHORISATION" ? parseId("ch", merchantReference) : null;
  },
  namesIn(item) {
    const { merchantAccount, merchantReference } = fromStoredItem(item);
    return { merchantAccount, reference: merchantReference };
  },
  shownFieldsOf: (item) => shownFieldsOf(fromStoredItem(item)),
  fetchReport,
  readReport: (file) => readReport(file, null),
  certify: certifyAdyen,
};

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
    return { kind: "failed", problem: `Adyen could not be reached (${result.problem}).` };
  }
  const { status } = result.response;
  switch (status) {
    case 200:
      return { kind: "passed" };
    case 401:
      return { kind: "failed", problem: "Adyen rejected the API key (status 401)." };
    case 403:
    case 422:
      return {
        kind: "failed",
        problem: `The API key does not have access to this merchant account (status ${status}).`,
      };
    default:
      return { kind: "failed", problem: `Adyen returned status ${status}.` };
  }
}
