import {
  type GooglePayEvent,
  type GooglePayRequest,
  isNonce,
  parseGooglePayCommand,
  withEnvelope,
} from "../protocol/google-pay-message.ts";
import { loadGooglePay, type PaymentData, type PaymentsClient } from "./google-pay-api.ts";

/**
 * The script of the page with Google Pay's button. The page knows only what the card form sends it about the payment,
 * and returns only the token, which is encrypted to the merchant or the acquirer.
 */
const { serviceOrigin = "" } = document.documentElement.dataset;
const nonce = location.hash.slice(1);
const slot = document.getElementById("button") as HTMLElement;
const cspNonce = document.querySelector("style")?.nonce ?? "";

/** The number of the latest `configure`, because a later one may arrive while Google's script responds. */
let configured = 0;
let openings = 0;
let isOpen = false;
let client: PaymentsClient | null = null;

// A page that is opened on its own has no form to pay for.
if (window.parent !== window && isNonce(nonce)) start();

function start(): void {
  const loaded = loadGooglePay(cspNonce);
  // The form shows no button until the page has sent `ready`, so a script that does not load needs no further message.
  loaded.catch(() => post({ type: "unavailable" }));
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== window.parent || origin !== serviceOrigin) return;
    const command = parseGooglePayCommand(data, nonce);
    if (command) void configure(loaded, command.request);
  });
  post({ type: "hello" });
}

function post(event: GooglePayEvent): void {
  window.parent.postMessage(withEnvelope(event, nonce), serviceOrigin);
}

async function configure(
  loaded: ReturnType<typeof loadGooglePay>,
  request: GooglePayRequest,
): Promise<void> {
  configured += 1;
  const latest = configured;
  try {
    const { PaymentsClient } = await loaded;
    client ??= new PaymentsClient({
      environment: request.environment,
      merchantInfo: merchantInfo(request),
      nonce: cspNonce,
    });
    const { result } = await client.isReadyToPay({ ...version, ...allowedMethods(request) });
    if (latest !== configured) return;
    if (!result) return post({ type: "unavailable" });
    const currentClient = client;
    const button = currentClient.createButton({
      buttonColor: request.color,
      // A button without words does not compete with the buttons beside it.
      buttonType: "plain",
      buttonLocale: request.language,
      buttonSizeMode: "fill",
      buttonRadius: request.radius,
      buttonBorderType: "no_border",
      allowedPaymentMethods: allowedMethods(request).allowedPaymentMethods,
      onClick: () => void openSheet(currentClient, request),
    });
    slot.replaceChildren(button);
    post({ type: "ready" });
  } catch {
    if (latest === configured) post({ type: "unavailable" });
  }
}

/** Opens the sheet. Called in the event handler of the button, because browsers open a sheet only for a user gesture. */
async function openSheet(opener: PaymentsClient, request: GooglePayRequest): Promise<void> {
  if (isOpen) return;
  isOpen = true;
  openings += 1;
  const opening = openings;
  post({ type: "opened", opening });
  try {
    const data = await opener.loadPaymentData({
      ...version,
      ...allowedMethods(request),
      merchantInfo: merchantInfo(request),
      transactionInfo: {
        totalPriceStatus: "FINAL",
        totalPrice: request.total,
        currencyCode: request.currency,
        countryCode: request.country,
        // With this option, the sheet shows the amount on its button, because the customer confirms nothing after the
        // sheet.
        checkoutOption: "COMPLETE_IMMEDIATE_PURCHASE",
      },
    });
    post({ type: "token", opening, token: tokenOf(data) });
  } catch (error) {
    const { statusCode } = (error ?? {}) as { readonly statusCode?: unknown };
    post({ type: statusCode === "CANCELED" ? "canceled" : "failed", opening });
  } finally {
    isOpen = false;
  }
}

const version = { apiVersion: 2, apiVersionMinor: 0 };

function merchantInfo({ merchant_id, merchant_name }: GooglePayRequest): object {
  return { merchantName: merchant_name, ...(merchant_id !== null && { merchantId: merchant_id }) };
}

function allowedMethods({ networks, auth_methods, tokenization }: GooglePayRequest) {
  const parameters = { allowedCardNetworks: networks, allowedAuthMethods: auth_methods };
  return {
    allowedPaymentMethods: [{ type: "CARD", parameters, tokenizationSpecification: tokenization }],
  };
}

function tokenOf({ paymentMethodData }: PaymentData): string {
  return paymentMethodData.tokenizationData.token;
}
