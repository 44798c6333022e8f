import type { JsonObject } from "@florin/shared-fake/json-object.ts";
import { isLuhnValid } from "@florin/shared-fake/luhn.ts";
import { isNetworkTransactionId } from "@florin/shared-fake/network-transaction-id.ts";
import {
  parseObject,
  type WalletCard,
  type WalletTokens,
} from "@florin/shared-fake/wallet-tokens.ts";
import type { Amount } from "./amount.ts";
import { cardFactsOf } from "./card.ts";
import type { CaptureMode, CardFacts, ThreeDSecure } from "./payment.ts";
import {
  amountField,
  assertKnownFields,
  choiceField,
  objectField,
  textField,
} from "./request-fields.ts";
import { invalid, ServiceError } from "./service-error.ts";
import {
  isEnrolled,
  isTestSecurityCode,
  readTestInstruction,
  type TestInstruction,
} from "./test-instructions.ts";

/** The facts of a request to `POST /payments` that the fake uses. Only the card data that may be stored is included. */
export type PaymentRequest = {
  readonly reference: string;
  readonly amount: Amount;
  readonly returnUrl: string;
  readonly card: CardFacts;
  readonly isExpired: boolean;
  /** Null if the request contains no security code. */
  readonly isSecurityCodeCorrect: boolean | null;
  readonly hasAddress: boolean;
  readonly capture: CaptureMode;
  readonly instruction: TestInstruction;
  readonly authentication: ThreeDSecure | null;
  /** True if the cardholder must be redirected to the authentication page. */
  readonly mustAuthenticate: boolean;
  readonly recurringProcessingModel: string | null;
  readonly networkPaymentReference: string | null;
  /** True if the Real Time Account Updater looks for new card data. */
  readonly isUpdatable: boolean;
};

/** The fields of the schema `PaymentRequest`. */
const fields: ReadonlySet<string> = new Set(
  (
    "accountInfo additionalAmount additionalData amount applicationInfo authenticationData bankAccount billingAddress " +
    "browserInfo captureDelayHours channel checkoutAttemptId company countryCode dateOfBirth dccQuote deliverAt " +
    "deliveryAddress deliveryDate deviceFingerprint enableOneClick enablePayOut enableRecurring enhancedSchemeData " +
    "entityType fraudOffset fundOrigin fundRecipient industryUsage installments lineItems localizedShopperStatement " +
    "mandate mcc merchantAccount merchantOrderReference merchantRiskIndicator metadata mpiData order orderReference " +
    "origin paymentMethod paymentValidations platformChargebackLogic recurringExpiry recurringFrequency " +
    "recurringProcessingModel redirectFromIssuerMethod redirectToIssuerMethod reference returnUrl riskData " +
    "sessionValidity shopperConversionId shopperEmail shopperIP shopperInteraction shopperLocale shopperName " +
    "shopperReference shopperStatement shopperTaxInfo socialSecurityNumber splits store storePaymentMethod subMerchants " +
    "surcharge telephoneNumber threeDS2RequestData threeDSAuthenticationOnly trustedShopper"
  ).split(" "),
);

/** Reads a request for a payment by card. A card verification has the amount zero. */
export function readPaymentRequest(
  body: JsonObject,
  now: Date,
  walletTokens: WalletTokens,
): PaymentRequest {
  assertKnownFields("PaymentRequest", body, fields);
  const amount = amountField(body, 0);
  const reference = textField(body, "reference", 80);
  if (!reference) throw invalid("130", "Required field 'reference' is not provided.");
  const returnUrl = textField(body, "returnUrl", 1024);
  if (!returnUrl) throw invalid("14_030", "Return URL is missing.");
  readLimitedFields(body);
  const method = objectField(body, "paymentMethod");
  if (method === null) throw invalid("14_004", "Missing payment method details.");
  const isNetworkToken = method.type === "networkToken";
  const isWallet = method.type === "googlepay" || method.type === "applepay";
  if (method.type !== "scheme" && method.type !== "card" && !isNetworkToken && !isWallet) {
    const message = "Payment details are not supported";
    throw new ServiceError(500, "905", message, "configuration");
  }
  const additionalData = objectField(body, "additionalData") ?? {};
  const interaction = choiceField(body, "shopperInteraction", interactions) ?? "Ecommerce";
  const capture = readCapture(body, additionalData);
  const hasAddress = readAddress(body);
  // The token is read after the checks above because reading uses it up. A request that they reject leaves it unused.
  const wallet = isWallet ? readWalletToken(method, walletTokens) : null;
  const number = wallet?.number ?? cardField(method, "number", "encryptedCardNumber") ?? "";
  if (!/^\d{12,19}$/.test(number) || !isLuhnValid(number)) {
    throw invalid("101", "Invalid card number");
  }
  const { month, year } = wallet
    ? { month: wallet.expMonth, year: wallet.expYear }
    : readExpiry(method);
  const brand = textField(method, "brand", 100);
  const type = isWallet ? (method.type as "googlepay" | "applepay") : null;
  const card = cardFactsOf(number, `${month}/${year}`, brand, type);
  const code = cardField(method, "cvc", "encryptedSecurityCode");
  if (code !== null && !(card.brand === "amex" ? /^\d{4}$/ : /^\d{3}$/).test(code)) {
    throw invalid("103", "CVC is not the right length");
  }
  const authentication = readAuthentication(body, card.brand);
  if (isNetworkToken && authentication?.authenticated !== true) {
    throw invalid("702", "Field 'mpiData.tokenAuthenticationVerificationValue' is not provided.");
  }
  return {
    reference,
    amount,
    returnUrl,
    card,
    // A card is valid until the end of its month.
    isExpired: new Date(Date.UTC(year, month, 1)) <= now,
    isSecurityCodeCorrect: code === null ? null : isTestSecurityCode(code),
    hasAddress,
    capture,
    instruction: readTestInstruction(
      textField(method, "holderName", 15_000) ?? "",
      additionalData.RequestedTestAcquirerResponseCode,
    ),
    authentication,
    mustAuthenticate:
      interaction === "Ecommerce" &&
      authentication === null &&
      // A cryptogram shows that the device has already authenticated the cardholder.
      wallet?.authMethod !== "CRYPTOGRAM_3DS" &&
      requiresAuthentication(body, number),
    recurringProcessingModel: choiceField(body, "recurringProcessingModel", recurringModels),
    networkPaymentReference: networkReferenceOf(method, card.brand),
    isUpdatable: interaction === "ContAuth" && code === null && amount.value > 0,
  };
}

/**
 * Decrypts a wallet token. A Google Pay token is a JSON text, and an Apple Pay token is a JSON text in base64 (schemas
 * `GooglePayDetails` and `ApplePayDetails`). Adyen does not document an error code for tokens that it cannot decrypt,
 * so the fake uses one of the general codes.
 */
function readWalletToken(method: JsonObject, walletTokens: WalletTokens): WalletCard {
  const isGoogle = method.type === "googlepay";
  const name = isGoogle ? "googlePayToken" : "applePayToken";
  const text = textField(method, name, 10_000);
  if (text === null) throw invalid("14_004", "Missing payment method details.");
  const json = isGoogle ? text : Buffer.from(text, "base64").toString("utf8");
  const wallet = isGoogle ? "google_pay" : "apple_pay";
  const card = walletTokens.use(wallet, parseObject(json));
  if (typeof card === "string") throw invalid("174", "Unable to decrypt data");
  return card;
}

function networkReferenceOf(method: JsonObject, brand: string): string | null {
  const reference = textField(method, "networkPaymentReference", 100);
  if (reference === null || isNetworkTransactionId(reference, brand === "mc")) return reference;
  throw invalid("702", "Field 'networkPaymentReference' is not valid.");
}

const interactions = ["Ecommerce", "ContAuth", "Moto", "POS"] as const;
const recurringModels = ["CardOnFile", "Subscription", "UnscheduledCardOnFile"] as const;

/**
 * Returns the plain value, or the decrypted value of the encrypted field. An encrypted test value is the plain value
 * with the prefix `test_`.
 */
function cardField(method: JsonObject, plain: string, encrypted: string): string | null {
  const text = textField(method, plain, 100);
  if (text !== null) return text;
  const hidden = textField(method, encrypted, 15_000);
  if (hidden === null) return null;
  if (!hidden.startsWith("test_")) throw invalid("174", "Unable to decrypt data");
  return hidden.slice("test_".length);
}

function readExpiry(method: JsonObject): { month: number; year: number } {
  const month = Number(cardField(method, "expiryMonth", "encryptedExpiryMonth") ?? Number.NaN);
  const year = Number(cardField(method, "expiryYear", "encryptedExpiryYear") ?? Number.NaN);
  const isValid = Number.isInteger(month) && month >= 1 && month <= 12;
  if (!isValid || !Number.isInteger(year) || year < 2000 || year > 9999) {
    throw invalid("129", "Expiry Date Invalid");
  }
  return { month, year };
}

function readLimitedFields(body: JsonObject): void {
  textField(body, "shopperReference", 256);
  textField(body, "shopperEmail", 256);
  textField(body, "shopperIP", 50);
  textField(body, "telephoneNumber", 64);
  textField(body, "shopperStatement", 10_000);
  choiceField(body, "channel", ["iOS", "Android", "Web"]);
  const mcc = textField(body, "mcc", 100);
  if (mcc !== null && !/^\d{4}$/.test(mcc)) throw invalid("702", "Field 'mcc' is not valid.");
  const browser = objectField(body, "browserInfo");
  if (browser === null) return;
  const missing = browserFields.find((name) => browser[name] === undefined);
  if (missing) throw invalid("702", `Required field 'browserInfo.${missing}' is not provided.`);
}

const browserFields = [
  "acceptHeader",
  "colorDepth",
  "javaEnabled",
  "language",
  "screenHeight",
  "screenWidth",
  "timeZoneOffset",
  "userAgent",
];

/** Returns true for a complete billing address. Rejects an incomplete one. */
function readAddress(body: JsonObject): boolean {
  const address = objectField(body, "billingAddress");
  if (address === null) return false;
  for (const [name, code] of Object.entries(addressErrors)) {
    if (!textField(address, name, 3000)) {
      throw invalid(code, `Billing address problem (${name} is missing)`);
    }
  }
  const country = textField(address, "country", 100) ?? "";
  if (!/^[A-Z]{2}$/.test(country)) throw invalid("134", "Billing address problem (Country)");
  return true;
}

const addressErrors = {
  city: "131",
  street: "132",
  houseNumberOrName: "133",
  country: "134",
  postalCode: "104",
};

/** `manualCapture` takes precedence over `captureDelayHours`. Without either, the payment is captured immediately. */
function readCapture(body: JsonObject, additionalData: JsonObject): CaptureMode {
  if (additionalData.manualCapture === "true") return { kind: "manual" };
  const hours = body.captureDelayHours ?? 0;
  if (typeof hours !== "number" || !Number.isInteger(hours) || hours < 0) {
    throw invalid("702", "Field 'captureDelayHours' is not valid.");
  }
  return { kind: "automatic", delayHours: hours };
}

/** Reads the result of an authentication by another 3-D Secure server (schema `ThreeDSecureData`). */
function readAuthentication(body: JsonObject, brand: string): ThreeDSecure | null {
  const data = objectField(body, "mpiData");
  if (data === null) return null;
  const statuses = ["A", "C", "D", "I", "N", "R", "U", "Y"] as const;
  const directory = choiceField(data, "directoryResponse", statuses);
  const challenge = choiceField(data, "authenticationResponse", ["Y", "N", "U", "A"]);
  if (directory === null)
    throw invalid("702", "Field 'mpiData.directoryResponse' is not provided.");
  if (directory === "C" && challenge === null) {
    throw invalid("702", "Field 'mpiData.authenticationResponse' is not provided.");
  }
  const status = challenge ?? directory;
  const eci = textField(data, "eci", 2);
  // The cryptogram of a network token has its own field.
  const cryptogram =
    textField(data, "cavv", 100) ?? textField(data, "tokenAuthenticationVerificationValue", 100);
  const hasProof = (status === "Y" || status === "A") && cryptogram !== null;
  return {
    authenticated: hasProof,
    offeredResponse: directory,
    authenticatedResponse: status,
    eci: eci ?? (hasProof ? eciOf(brand) : null),
    version: textField(data, "threeDSVersion", 20) ?? "2.2.0",
    dsTransID: textField(data, "dsTransID", 100),
  };
}

/** Returns the electronic commerce indicator of a full authentication. */
export function eciOf(brand: string): string {
  return brand === "mc" || brand === "maestro" ? "02" : "05";
}

function requiresAuthentication(body: JsonObject, cardNumber: string): boolean {
  const data = objectField(body, "authenticationData") ?? {};
  const attempt = choiceField(data, "attemptAuthentication", ["always", "never"]);
  return attempt === "always" || (attempt === null && isEnrolled(cardNumber));
}
