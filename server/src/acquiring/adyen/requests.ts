import assert from "node:assert/strict";
import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { AttemptId, ChargeId, OperationId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import { CardPlaceholder, type PreparedJson } from "../card-placeholder.ts";
import { idempotencyKey, type KeyedConnection } from "../idempotency-key.ts";
import { amountNotRepresentable, type Rejected } from "../outcome.ts";
import type { AuthenticationData, CredentialUse, Payer, PayerAddress } from "../processor.ts";
import { present, safeReference } from "../request-fields.ts";
import { type AdyenAmount, toAdyenAmount } from "./currencies.ts";

/**
 * Builds the requests of Adyen's Checkout API v72. Fields and limits: CheckoutService-v72.json in the public repository
 * Adyen/adyen-openapi. No function here handles card data: bodies contain placeholders.
 */
export type AdyenRequest = {
  /** The path below the base URL. */
  readonly path: string;
  readonly idempotencyKey: string;
  readonly body: { readonly [key: string]: PreparedJson };
};

export type AdyenConnection = KeyedConnection & { readonly merchantAccount: string };

/**
 * Returns the base URL. The live URL contains the prefix of the company
 * (docs.adyen.com/development-resources/live-endpoints).
 */
export function baseUrl(environment: { live: false } | { live: true; prefix: string }): string {
  if (!environment.live) return "https://checkout-test.adyen.com/v72";
  assert.match(environment.prefix, /^[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*$/);
  return `https://${environment.prefix}-checkout-live.adyenpayments.com/checkout/v72`;
}

export type AuthorizationRequest = {
  readonly reference: AttemptId;
  readonly price: Money;
  /** True to capture with the authorization, false to capture later. */
  readonly capture: boolean;
  readonly hasSecurityCode: boolean;
  readonly use: CredentialUse;
  readonly authentication: AuthenticationChoice;
  readonly payer: Payer;
  /** The page to which the cardholder returns from the acquirer's own authentication. Adyen always requires it. */
  readonly returnUrl: string;
  /** The text for the bank statement. Null uses the text of the merchant account. */
  readonly descriptor: string | null;
  /** The merchant category code. Null uses that of the merchant account. */
  readonly mcc: string | null;
};

export type AuthenticationChoice =
  /** The cardholder was authenticated outside Adyen. */
  | {
      readonly kind: "external";
      readonly data: AuthenticationData;
      /** True if the issuer required a challenge. The ARes then had the status C. */
      readonly challenged: boolean;
      readonly statusReason: string | null;
      readonly exemption: ScaExemption | null;
    }
  /** The cardholder pays with a network token, and was authenticated on the device. */
  | { readonly kind: "device"; readonly eci: string | null }
  /** Adyen authenticates on a page to which the cardholder is redirected. */
  | { readonly kind: "acquirer"; readonly required: boolean }
  | { readonly kind: "none"; readonly exemption: ScaExemption | null };

/** The values of `additionalData.scaExemption`. */
export type ScaExemption =
  | "lowValue"
  | "secureCorporate"
  | "trustedBeneficiary"
  | "transactionRiskAnalysis";

export type PreparedRequest =
  | { readonly kind: "prepared"; readonly request: AdyenRequest }
  | Rejected;

/** Prepares a sale or a hold. */
export function authorizeRequest(
  connection: AdyenConnection,
  request: AuthorizationRequest,
): PreparedRequest {
  return payment(connection, request, "authorize", cardMethod(request), captureFields(request));
}

/**
 * Prepares a sale or a hold with a wallet's token, which Adyen decrypts
 * (docs.adyen.com/payment-methods/google-pay/api-only and docs.adyen.com/payment-methods/apple-pay/api-only).
 */
export function gatewayTokenRequest(
  connection: AdyenConnection,
  request: Omit<AuthorizationRequest, "hasSecurityCode" | "use" | "authentication"> & {
    readonly wallet: DigitalWallet;
  },
): PreparedRequest {
  const token = new CardPlaceholder("gatewayToken");
  const method =
    request.wallet === "google_pay"
      ? { type: "googlepay", googlePayToken: token }
      : { type: "applepay", applePayToken: token };
  const authentication = { kind: "none", exemption: null } as const;
  const once = { ...request, use: { kind: "once" }, authentication } as const;
  return payment(connection, once, "authorize", method, captureFields(request));
}

/** Returns the fields that override the capture setting of the merchant account. */
function captureFields({ capture }: Pick<AuthorizationRequest, "capture">): CaptureFields {
  return capture
    ? { captureDelayHours: 0, additional: {} }
    : { additional: { manualCapture: "true" } };
}

type CaptureFields = {
  readonly captureDelayHours?: number;
  readonly additional: Readonly<Record<string, string>>;
};

/**
 * Prepares a verification of the card with the amount zero. The issuer checks the card and holds no money
 * (docs.adyen.com/online-payments/tokenization, "zero-value auth").
 */
export function verifyRequest(
  connection: AdyenConnection,
  request: Omit<AuthorizationRequest, "price" | "capture"> & { currency: Money["currency"] },
): PreparedRequest {
  const price = { amountMinor: 0, currency: request.currency };
  const method = cardMethod(request);
  return payment(connection, { ...request, price }, "verify", method, { additional: {} });
}

function cardMethod({
  authentication,
  hasSecurityCode,
  payer,
  use,
}: Omit<AuthorizationRequest, "capture" | "price">): Record<string, PreparedJson> {
  return {
    type: authentication.kind === "device" ? "networkToken" : "scheme",
    number: new CardPlaceholder("number"),
    expiryMonth: new CardPlaceholder("expiryMonth"),
    expiryYear: new CardPlaceholder("expiryYear"),
    ...(hasSecurityCode ? { cvc: new CardPlaceholder("securityCode") } : {}),
    ...present("holderName", payer.name),
    ...present("networkPaymentReference", networkReferenceOf(use)),
  };
}

function payment(
  connection: AdyenConnection,
  request: Omit<AuthorizationRequest, "capture" | "hasSecurityCode">,
  kind: "authorize" | "verify",
  paymentMethod: Record<string, PreparedJson>,
  { additional, ...capture }: CaptureFields,
): PreparedRequest {
  const { authentication, payer, use } = request;
  const exemption = "exemption" in authentication ? authentication.exemption : null;
  const additionalData = {
    ...additional,
    ...(exemption === null ? {} : { scaExemption: exemption }),
  };
  return withAmount(request.price, (amount) => ({
    path: "/payments",
    idempotencyKey: idempotencyKey(connection, kind, request.reference),
    body: {
      merchantAccount: connection.merchantAccount,
      reference: safeReference(request.reference),
      amount,
      paymentMethod,
      channel: "Web",
      returnUrl: request.returnUrl,
      ...capture,
      ...credentialFields(use),
      ...authenticationFields(authentication),
      ...payerFields(payer),
      ...present("shopperStatement", statementText(request.descriptor)),
      ...present("mcc", request.mcc),
      ...(Object.keys(additionalData).length > 0 ? { additionalData } : {}),
    },
  }));
}

/**
 * Returns the fields for stored credentials (docs.adyen.com/online-payments/tokenization, `shopperInteraction` and
 * `recurringProcessingModel` in the OpenAPI document). A merchant-initiated payment is unscheduled, because a charge
 * does not say whether it belongs to a schedule.
 */
function credentialFields(use: CredentialUse): Record<string, string> {
  switch (use.kind) {
    case "once":
      return { shopperInteraction: "Ecommerce" };
    case "to_be_saved":
      return { shopperInteraction: "Ecommerce", recurringProcessingModel: "CardOnFile" };
    case "saved":
      return {
        shopperInteraction: "ContAuth",
        recurringProcessingModel:
          use.initiatedBy === "merchant" ? "UnscheduledCardOnFile" : "CardOnFile",
      };
  }
}

function networkReferenceOf(use: CredentialUse): string | null {
  return use.kind === "saved" ? use.networkTransactionId : null;
}

/**
 * Returns `mpiData` for an external authentication (schema `ThreeDSecureData`). `directoryResponse` is the status of
 * the ARes. `authenticationResponse` is the status of the challenge, and is absent without a challenge.
 */
function authenticationFields(choice: AuthenticationChoice): Record<string, PreparedJson> {
  switch (choice.kind) {
    case "none":
      return { authenticationData: { attemptAuthentication: "never" } };
    case "acquirer":
      return {
        authenticationData: {
          ...(choice.required ? { attemptAuthentication: "always" } : {}),
          // A redirect, unlike native 3-D Secure, needs no code from Adyen in the card form.
          threeDSRequestData: { nativeThreeDS: "disabled" },
        },
      };
    case "device":
      // `directoryResponse` and `authenticationResponse` are required although the payment has no 3-D Secure
      // (docs.adyen.com/online-payments/network-tokenization).
      return {
        mpiData: {
          directoryResponse: "Y",
          authenticationResponse: "Y",
          tokenAuthenticationVerificationValue: new CardPlaceholder("cryptogram"),
          ...present("eci", choice.eci),
        },
      };
    case "external": {
      const { data, challenged, statusReason } = choice;
      assert.ok(!challenged || data.transStatus !== "I", "A challenge cannot end with status I.");
      return {
        mpiData: {
          threeDSVersion: data.version,
          dsTransID: data.dsTransactionId,
          directoryResponse: challenged ? "C" : data.transStatus,
          ...(challenged ? { authenticationResponse: data.transStatus } : {}),
          ...present("eci", data.eci),
          ...present("cavv", data.authenticationValue),
          ...present("transStatusReason", statusReason),
        },
      };
    }
  }
}

function payerFields(payer: Payer): Record<string, PreparedJson> {
  return {
    ...present("shopperEmail", payer.email),
    ...present("telephoneNumber", payer.phone),
    ...present("shopperIP", payer.ip),
    ...(payer.address === null ? {} : { billingAddress: billingAddress(payer.address) }),
    ...(payer.browser === null ? {} : { browserInfo: { ...payer.browser } }),
  };
}

/**
 * Returns the address in Adyen's format. All fields but the state are required. `ZZ` is Adyen's value for an unknown
 * country. Adyen accepts at most five digits of a US ZIP code and ten characters of any other postal code.
 */
function billingAddress(address: PayerAddress): Record<string, string> {
  const { street, house } = splitLine(address.line1);
  const country = address.country ?? "ZZ";
  const state = address.state?.trim().toUpperCase() ?? "";
  return {
    street,
    houseNumberOrName: house,
    city: address.city ?? unknownText,
    postalCode: (address.postalCode ?? unknownText).slice(0, country === "US" ? 5 : 10),
    country,
    ...(/^[0-9A-Z]{2,3}$/.test(state) ? { stateOrProvince: state } : {}),
  };
}

const unknownText = "N/A";

/**
 * Splits a line such as `12a High Street` or `Hauptstraße 12` into the street and the house number. The issuer compares
 * the house number.
 */
function splitLine(line: string | null): { street: string; house: string } {
  const text = line?.trim() ?? "";
  const leading = /^(\d+[A-Za-z]?(?:[-/]\d+)?),?\s+(.+)$/.exec(text);
  if (leading) return { house: leading[1] as string, street: leading[2] as string };
  const trailing = /^(.*\D),?\s+(\d+\s?[A-Za-z]?(?:[-/]\d+)?)$/.exec(text);
  if (trailing) return { house: trailing[2] as string, street: trailing[1] as string };
  return { street: text === "" ? unknownText : text, house: unknownText };
}

/**
 * Returns the statement text without the characters that Adyen does not allow. Adyen recommends at most 22 characters,
 * because banks may cut off a longer text.
 */
function statementText(descriptor: string | null): string | null {
  const text = (descriptor ?? "")
    .normalize("NFKD")
    .replaceAll(/[^a-zA-Z0-9 .,'_\-?+*/]/g, "")
    .slice(0, 22)
    .trim();
  return text === "" ? null : text;
}

export type OperationTarget = {
  readonly reference: OperationId;
  /** The `pspReference` of the authorization. */
  readonly paymentReference: string;
};

/**
 * Prepares a capture. Adyen accepts more than one partial capture of a payment only if the account is set up for it.
 */
export function captureRequest(
  connection: AdyenConnection,
  target: OperationTarget & { readonly price: Money },
): PreparedRequest {
  return modification(connection, "captures", target, target.price);
}

export function refundRequest(
  connection: AdyenConnection,
  target: OperationTarget & { readonly price: Money },
): PreparedRequest {
  return modification(connection, "refunds", target, target.price);
}

/** Prepares the cancellation of an authorization that has not been captured. */
export function cancelRequest(
  connection: AdyenConnection,
  target: OperationTarget,
): PreparedRequest {
  return modification(connection, "cancels", target, null);
}

/**
 * Prepares a cancellation or, after a capture, a full refund. Adyen chooses one of the two, and sends the notification
 * CANCEL_OR_REFUND. This request must not be used after several partial captures
 * (docs.adyen.com/online-payments/classic-integrations/modify-payments/cancel-or-refund). Requests with the same
 * `series` have the same idempotency key.
 */
export function reverseRequest(
  connection: AdyenConnection,
  target: {
    readonly reference: ChargeId;
    readonly paymentReference: string;
    readonly series: string;
  },
): PreparedRequest {
  return modification(connection, "reversals", target, null, `reversals_${target.series}`);
}

function modification(
  connection: AdyenConnection,
  kind: "captures" | "refunds" | "cancels" | "reversals",
  target: { readonly reference: OperationId | ChargeId; readonly paymentReference: string },
  price: Money | null,
  keyKind: string = kind,
): PreparedRequest {
  assert.match(target.paymentReference, /^[0-9A-Za-z]{1,80}$/);
  const request = (amount: AdyenAmount | null): AdyenRequest => ({
    path: `/payments/${target.paymentReference}/${kind}`,
    idempotencyKey: idempotencyKey(connection, keyKind, target.reference),
    body: {
      merchantAccount: connection.merchantAccount,
      reference: safeReference(target.reference),
      ...(amount === null ? {} : { amount }),
    },
  });
  return price === null
    ? { kind: "prepared", request: request(null) }
    : withAmount(price, (amount) => request(amount));
}

/**
 * Prepares a cancellation by our reference, for a payment whose `pspReference` we never received. The result is the
 * notification TECHNICAL_CANCEL. A failed cancellation is not final, because the payment may arrive later. Each attempt
 * has a different idempotency key.
 */
export function technicalCancelRequest(
  connection: AdyenConnection,
  { charge, attempt }: { readonly charge: ChargeId; readonly attempt: string },
): PreparedRequest {
  const reference = safeReference(charge);
  return {
    kind: "prepared",
    request: {
      path: "/cancels",
      idempotencyKey: idempotencyKey(connection, `technical_cancel_${attempt}`, charge),
      body: { merchantAccount: connection.merchantAccount, paymentReference: reference, reference },
    },
  };
}

/**
 * Prepares the request that completes a payment after the cardholder has returned with `redirectResult` in the query. A
 * cardholder can return more than once, so the idempotency key depends on `redirectResult`.
 */
export function detailsRequest(
  connection: AdyenConnection,
  {
    attempt,
    redirectResult,
    resume,
  }: {
    readonly attempt: AttemptId;
    readonly redirectResult: string;
    readonly resume: string | null;
  },
): PreparedRequest {
  return {
    kind: "prepared",
    request: {
      path: "/payments/details",
      idempotencyKey: idempotencyKey(connection, "details", `${attempt} ${redirectResult}`),
      body: { details: { redirectResult }, ...present("paymentData", resume) },
    },
  };
}

function withAmount(price: Money, request: (amount: AdyenAmount) => AdyenRequest): PreparedRequest {
  const amount = toAdyenAmount(price);
  return amount === null ? amountNotRepresentable : { kind: "prepared", request: request(amount) };
}
