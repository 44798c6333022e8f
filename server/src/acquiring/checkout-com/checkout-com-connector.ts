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
import { certifyCheckoutCom } from "./certify-checkout-com.ts";
import { createCheckoutComProcessor } from "./checkout-com-processor.ts";
import { toCheckoutComAmount } from "./currencies.ts";
import { fetchReport } from "./fetch-report.ts";
import { apiOrigin, get, prefixPattern } from "./requests.ts";
import { sendOnce } from "./send-request.ts";
import { readSettlementReport } from "./settlement-report.ts";
import { notificationOf, shownFieldsOf, verifyNotifications } from "./webhooks.ts";

const wallets: ReadonlySet<DigitalWallet> = new Set(["google_pay", "apple_pay"]);
const noWallets: ReadonlySet<DigitalWallet> = new Set();

/** The forms of public keys that the official SDKs accept (checkout-sdk-node, `src/config.js`). */
const publicKeyPattern: Readonly<Record<Environment, RegExp>> = {
  sandbox: /^pk_sbox_[a-z2-7]{26}[a-z2-7*#$=]$/,
  live: /^pk_[a-z2-7]{26}[a-z2-7*#$=]$/,
};

/** The connector for Checkout.com (docs/operating/checkout-com.md). */
export const checkoutComConnector: Connector = {
  title: "Checkout.com",
  version: "Checkout.com Unified Payments API (NAS)",
  rejectSettings,
  rejectNotificationKey: (key) =>
    key.length >= 16
      ? null
      : "The signature key of Checkout.com's webhook must have at least 16 characters.",
  // The settlement speed is agreed with each merchant (checkout.com/docs/funds-management/receive-settlements). Two
  // weeks cover a weekly settlement with holidays.
  settlesWithinMs: 14 * 24 * 60 * 60 * 1000,
  acceptsNetworkTokens: true,
  gateway: {
    rejectPublicKey: (key, environment) =>
      publicKeyPattern[environment].test(key)
        ? null
        : `The public key of Checkout.com's ${environment === "live" ? "live" : "sandbox"} environment begins with \`${environment === "live" ? "pk_" : "pk_sbox_"}\`. The Dashboard shows it under Developers > Keys.`,
    walletsOf: ({ publicKey }) => (publicKey === null ? noWallets : wallets),
    // The parameters of checkout.com/docs/payments/add-payment-methods/google-pay.
    googlePay: ({ publicKey }) => ({
      gateway: "checkoutltd",
      gatewayMerchantId: publicKey ?? "",
    }),
    readToken: readEncryptedToken,
  },
  represents: (price) => toCheckoutComAmount(price) !== null,
  createProcessor({ connection, assignment, secrets, clientOf, origin, ...options }) {
    return createCheckoutComProcessor({
      ...options,
      assignment,
      access: { client: clientOf(originOf(connection, origin)), secretKey: secrets.apiKey },
      publicKey: connection.publicKey,
    });
  },
  /**
   * Requests the payments with a reference that no payment has. The response proves that the secret key is valid. It
   * does not prove that the key may use the processing channel, because only a request that moves money can prove that.
   */
  async testConnection(connection, { apiKey }, { timers, origin }) {
    const client = createAcquirerClient({ origin: originOf(connection, origin), timers });
    const request = get("/payments?limit=1&skip=0&reference=florin_connection_test");
    const result = await sendOnce({ client, secretKey: apiKey }, request, null);
    await client.close();
    return testResult(result);
  },
  verifyNotifications,
  notificationOf,
  shownFieldsOf,
  findCharge: null,
  sendsSecondChargebacks: false,
  async fetchReport({ connection, secrets }, notification, { timers, origin }) {
    if (notification.event.kind !== "report_available") return { kind: "ignored" };
    const channel = connection.settings.merchantAccount;
    const access = { origin: originOf(connection, origin), secrets, timers, channel };
    return fetchReport(access, notification);
  },
  readReport: (file) => readSettlementReport([file.toString("utf8")], null),
  certify: certifyCheckoutCom,
};

function rejectSettings(
  { merchantAccount, livePrefix }: ConnectionSettings,
  _environment: Environment,
): ParameterProblem | null {
  if (!/^pc_[0-9A-Za-z]{3,60}$/.test(merchantAccount)) {
    const message =
      "`settings.merchant_account` must be the ID of the processing channel, which begins with `pc_`. The Dashboard shows it under Settings > Channels.";
    return { code: "parameter_invalid", param: "settings.merchant_account", message };
  }
  const param = "settings.live_prefix";
  if (livePrefix === null) {
    const message =
      "`settings.live_prefix` is missing. Add the prefix of your API URL, which the Dashboard shows under Settings > Account details > Connection settings.";
    return { code: "parameter_missing", param, message };
  }
  if (prefixPattern.test(livePrefix)) return null;
  const message =
    "`settings.live_prefix` must be the first part of your API URL, such as `vkuhvk4v` in `https://vkuhvk4v.api.checkout.com`. It consists of lower-case letters and digits, and can begin with `pl-`.";
  return { code: "parameter_invalid", param, message };
}

function originOf({ environment, settings }: Connection, origin: string | undefined): string {
  return origin ?? apiOrigin(environment, settings.livePrefix ?? "");
}

function testResult(result: SendResult): TestResult {
  if (result.kind !== "response") {
    return {
      kind: "failed",
      problem: `Checkout.com could not be reached (${result.problem}). Check that the network of this service allows requests to Checkout.com, then try again.`,
    };
  }
  const { status } = result.response;
  if (status === 200) return { kind: "passed" };
  if (status === 401) {
    return {
      kind: "failed",
      problem: "Checkout.com rejected the secret key (status 401). Replace it with a valid one.",
    };
  }
  return { kind: "failed", problem: `Checkout.com returned status ${status}.` };
}
