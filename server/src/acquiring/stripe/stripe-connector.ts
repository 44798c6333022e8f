import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import { parseId } from "../../core/ids.ts";
import { createAcquirerClient, type SendResult } from "../acquirer-client.ts";
import type { ConnectionSettings, Environment, TestResult } from "../connections/connection.ts";
import type { OpenConnection } from "../connections/connection-directory.ts";
import type { Connector, ConnectorOptions, FoundCharge, ParameterProblem } from "../connector.ts";
import { objectOf, parseJsonObject, textOf } from "../json-object.ts";
import type { LiveNotification } from "../live-notification.ts";
import type { FetchedReport } from "../settlement-report.ts";
import { certifyStripe } from "./certify-stripe.ts";
import { toStripeAmount } from "./currencies.ts";
import { fetchPayout } from "./payout-report.ts";
import { apiOrigin, apiVersion, chargeKey, filesOrigin, retrieveRequest } from "./requests.ts";
import { type StripeAccess, sendOnce } from "./send-request.ts";
import { createStripeProcessor } from "./stripe-processor.ts";
import { tokenIdOf } from "./wallet-tokens.ts";
import { notificationOf, shownFieldsOf, verifyNotifications } from "./webhooks.ts";

const wallets: ReadonlySet<DigitalWallet> = new Set(["google_pay"]);
const noWallets: ReadonlySet<DigitalWallet> = new Set();

const publishableKey: Readonly<Record<Environment, RegExp>> = {
  sandbox: /^pk_test_[0-9A-Za-z]{10,250}$/,
  live: /^pk_live_[0-9A-Za-z]{10,250}$/,
};

/** The connector for Stripe (docs/operating/stripe.md). */
export const stripeConnector: Connector = {
  title: "Stripe",
  version: `Stripe API ${apiVersion}`,
  rejectSettings,
  rejectNotificationKey: (key) =>
    /^whsec_[0-9A-Za-z+/=_-]{16,240}$/.test(key)
      ? null
      : "The signing secret of Stripe's webhook begins with `whsec_`. Copy the whole secret from Stripe.",
  // The delay of payouts depends on the country: two to seven business days, and up to 14 days for some businesses
  // (docs.stripe.com/payouts#payout-schedule).
  settlesWithinMs: 14 * 24 * 60 * 60 * 1000,
  // Stripe's public API has no field for the cryptogram of a network token.
  acceptsNetworkTokens: false,
  gateway: {
    rejectPublicKey: (key, environment) =>
      publishableKey[environment].test(key)
        ? null
        : `The publishable key of Stripe's ${environment === "live" ? "live mode begins with `pk_live_`" : "test mode begins with `pk_test_`"}. The Dashboard shows it under Developers > API keys.`,
    // Stripe documents no parameter for an Apple Pay token as Apple's JavaScript returns it.
    walletsOf: ({ publicKey }) => (publicKey === null ? noWallets : wallets),
    // The parameters of docs.stripe.com/google-pay. A connected account is appended to the key, as Stripe's own library
    // does (stripe-android, `GooglePayConfig`), because the token then belongs to that account.
    googlePay: ({ publicKey, settings }, { merchantAccount }) => ({
      gateway: "stripe",
      "stripe:version": "2018-10-31",
      "stripe:publishableKey":
        settings.merchantAccount === merchantAccount
          ? (publicKey ?? "")
          : `${publicKey}/${merchantAccount}`,
    }),
    readToken(wallet, text) {
      const id = wallet === "google_pay" ? tokenIdOf(text) : null;
      return id === null ? null : { id, text: JSON.stringify({ id, object: "token" }) };
    },
  },
  represents: (price) => toStripeAmount(price) !== null,
  createProcessor({ connection, assignment, secrets, clientOf, origin, ...options }) {
    return createStripeProcessor({
      ...options,
      assignment,
      access: {
        client: clientOf(origin ?? apiOrigin),
        secretKey: secrets.apiKey,
        ...accountsOf(connection.settings, assignment.merchantAccount),
      },
      filesClient: clientOf(origin ?? filesOrigin),
      acceptsGatewayTokens: connection.publicKey !== null,
    });
  },
  /** Requests the account of the secret key, which must be the account of the connection. */
  async testConnection(connection, { apiKey }, { timers, origin }) {
    const { merchantAccount } = connection.settings;
    const client = createAcquirerClient({ origin: origin ?? apiOrigin, timers });
    const access = {
      client,
      secretKey: apiKey,
      connectedAccount: null,
      account: merchantAccount,
    };
    const request = {
      method: "GET",
      path: "/v1/account",
      idempotencyKey: null,
      body: null,
    } as const;
    const result = await sendOnce(access, request, null);
    await client.close();
    return testResult(result, merchantAccount);
  },
  verifyNotifications,
  notificationOf,
  shownFieldsOf,
  findCharge,
  sendsSecondChargebacks: false,
  fetchReport,
  readReport: async () => ({
    unreadable:
      "Florin reads settlements from Stripe's API and accepts no file. Send the event payout.reconciliation_completed again in Stripe's Workbench.",
  }),
  certify: certifyStripe,
};

function rejectSettings(
  { merchantAccount, livePrefix }: ConnectionSettings,
  _environment: Environment,
): ParameterProblem | null {
  if (!/^acct_[0-9A-Za-z]{3,60}$/.test(merchantAccount)) {
    const message =
      "`settings.merchant_account` must be the ID of the Stripe account, which begins with `acct_`. The Dashboard shows it under Settings > Account details.";
    return { code: "parameter_invalid", param: "settings.merchant_account", message };
  }
  if (livePrefix === null) return null;
  const message = "`settings.live_prefix` is not allowed for Stripe. Leave the parameter out.";
  return { code: "parameter_invalid", param: "settings.live_prefix", message };
}

/**
 * Returns the account of the request. An assignment to the connection's own account uses the key directly. Any other
 * account is connected to the connection's account, and the request names the connected account
 * (docs.stripe.com/connect/authentication).
 */
function accountsOf(
  settings: ConnectionSettings,
  merchantAccount: string,
): Pick<StripeAccess, "connectedAccount" | "account"> {
  const isOwn = settings.merchantAccount === merchantAccount;
  return { account: merchantAccount, connectedAccount: isOwn ? null : merchantAccount };
}

function testResult(result: SendResult, merchantAccount: string): TestResult {
  if (result.kind !== "response") {
    return {
      kind: "failed",
      problem: `Stripe could not be reached (${result.problem}). Check that the network of this service allows requests to Stripe, then try again.`,
    };
  }
  const { status, body } = result.response;
  if (status === 401) {
    return {
      kind: "failed",
      problem: "Stripe rejected the secret key (status 401). Replace it with a valid one.",
    };
  }
  if (status !== 200) return { kind: "failed", problem: `Stripe returned status ${status}.` };
  const account = parseJsonObject(body);
  const id = account && textOf(account, "id");
  return id === merchantAccount
    ? { kind: "passed" }
    : {
        kind: "failed",
        problem: `The secret key belongs to another account (${id}). Use a secret key of ${merchantAccount}, or correct \`settings.merchant_account\`.`,
      };
}

/** Sends requests that belong to no payment of an assignment, with a client that is closed afterwards. */
async function withAccess<Result>(
  { connection, secrets }: OpenConnection,
  merchantAccount: string,
  { timers, origin }: ConnectorOptions,
  use: (access: StripeAccess) => Promise<Result>,
  size: { readonly maxBodyBytes?: number } = {},
): Promise<Result> {
  const client = createAcquirerClient({ origin: origin ?? apiOrigin, timers, ...size });
  try {
    const accounts = accountsOf(connection.settings, merchantAccount);
    return await use({ client, secretKey: secrets.apiKey, ...accounts });
  } finally {
    await client.close();
  }
}

/**
 * Requests the payment of a dispute and returns the charge in the payment's metadata. A dispute has its own metadata,
 * which does not contain our reference.
 */
function findCharge(
  open: OpenConnection,
  { merchantAccount, paymentReference }: LiveNotification,
  options: ConnectorOptions,
): Promise<FoundCharge> {
  if (paymentReference === null) return Promise.resolve({ kind: "none" });
  return withAccess(open, merchantAccount, options, async (access) => {
    const result = await sendOnce(access, retrieveRequest(paymentReference), null);
    if (result.kind !== "response") return { kind: "retry", problem: result.problem };
    const { status, body } = result.response;
    if (status === 404) return { kind: "none" };
    const intent = parseJsonObject(body);
    if (status !== 200 || intent === null) {
      return { kind: "retry", problem: `Stripe returned status ${status}` };
    }
    const charge = parseId("ch", textOf(objectOf(intent, "metadata"), chargeKey) ?? "");
    return charge === null ? { kind: "none" } : { kind: "found", charge };
  });
}

/**
 * The maximum size of a page of a report. A page can contain 100 disputes with their evidence, which exceeds the usual
 * maximum of 1 MiB.
 */
const maxReportPageBytes = 8 * 1024 * 1024;

function fetchReport(
  open: OpenConnection,
  { event, merchantAccount, acquirerReference: payout }: LiveNotification,
  options: ConnectorOptions,
): Promise<FetchedReport> {
  if (event.kind !== "report_available") return Promise.resolve({ kind: "ignored" });
  const fetch = (access: StripeAccess) => fetchPayout(access, payout);
  return withAccess(open, merchantAccount, options, fetch, { maxBodyBytes: maxReportPageBytes });
}
