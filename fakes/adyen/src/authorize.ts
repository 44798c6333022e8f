import { randomBytes, randomInt } from "node:crypto";
import type { JsonObject } from "@florin/shared-fake/json-object.ts";
import { newNetworkTransactionId } from "@florin/shared-fake/network-transaction-id.ts";
import { lateFaults, notificationFaults } from "./faults.ts";
import type { MerchantAccount } from "./merchant-account.ts";
import { type AccountUpdate, heldValue, type Payment, type ThreeDSecure } from "./payment.ts";
import {
  captureFailureReason,
  captureValue,
  failCapture,
  networkFailureMs,
  releaseValue,
} from "./payment-movements.ts";
import { eciOf, type PaymentRequest, readPaymentRequest } from "./payment-request.ts";
import type { Platform } from "./platform.ts";
import { newPspReference } from "./psp-reference.ts";
import { recordEvent } from "./record-event.ts";
import type { Reply } from "./reply.ts";
import { assertKnownFields, objectField, textField } from "./request-fields.ts";
import { scheduleTestDispute } from "./run-dispute.ts";
import { invalid } from "./service-error.ts";
import {
  approvedCode,
  type ResponseCode,
  responseOf,
  type TestInstruction,
} from "./test-instructions.ts";

/** Handles `POST /payments`. */
export function authorize(platform: Platform, account: MerchantAccount, body: JsonObject): Reply {
  const now = platform.clock.nowMs();
  const request = readPaymentRequest(body, new Date(now), platform.walletTokens);
  const update = request.isUpdatable ? platform.takeAccountUpdate(account.merchantAccount) : null;
  const payment = newPayment(platform, account, request, now, update);
  if (request.mustAuthenticate) return redirect(platform, account, payment, request.returnUrl);
  // If the Real Time Account Updater found new card data, this is the response to Adyen's second attempt, which used
  // the new data.
  const isClosed = update !== null && !update.status.endsWith("Changed");
  const responseCode = isClosed ? declinedCode : responseCodeOf(account, request);
  return decide(platform, account, payment, responseCode, {});
}

/** The code of `DECLINED`. */
const declinedCode = 2;

function newPayment(
  platform: Platform,
  account: MerchantAccount,
  request: PaymentRequest,
  now: number,
  accountUpdate: AccountUpdate | null,
): Payment {
  return {
    pspReference: newPspReference(),
    merchantAccount: account.merchantAccount,
    reference: request.reference,
    amount: request.amount,
    createdAt: now,
    state: "refused",
    card: request.card,
    capture: request.capture,
    instruction: withCode(request.instruction, responseCodeOf(account, request)),
    authentication: request.authentication,
    redirect: null,
    checks: { cvc: cvcResult(request), avs: avsResult(request) },
    recurringProcessingModel: request.recurringProcessingModel,
    networkPaymentReference: request.networkPaymentReference,
    authCode: null,
    accountUpdate,
    networkTxReference: null,
    acquirerReference: null,
    authorisedAt: null,
    expiresAt: null,
    capturedValue: 0,
    releasedValue: 0,
    refundedValue: 0,
    chargedBackValue: 0,
    captureFailsAfterMs: captureFailureMs(platform, account, request),
    notificationFault:
      platform.takeFault("payments", notificationFaults, account.merchantAccount)?.fault ?? null,
  };
}

/**
 * Returns the time from an automatic capture to its late failure. Returns null if the capture does not fail, or if the
 * merchant captures with a separate request. The failure of a separate capture is stored in its modification.
 */
function captureFailureMs(
  platform: Platform,
  { merchantAccount }: MerchantAccount,
  { capture, instruction }: PaymentRequest,
): number | null {
  if (capture.kind !== "automatic") return null;
  const preset = instruction.laterFailure === "capture" ? networkFailureMs : null;
  return platform.takeFault("payments", lateFaults, merchantAccount)?.delayMs ?? preset;
}

/**
 * Returns the instruction with the response code. If the code is unchanged, returns the same object, so that payments
 * without an instruction share one object.
 */
function withCode(instruction: TestInstruction, responseCode: number): TestInstruction {
  return instruction.responseCode === responseCode ? instruction : { ...instruction, responseCode };
}

/** Returns the issuer's response as a code of `RequestedTestAcquirerResponseCode`. */
function responseCodeOf({ refusesWith }: MerchantAccount, request: PaymentRequest): number {
  const { instruction, authentication } = request;
  if (refusesWith !== null) return refusesWith;
  if (instruction.responseCode !== approvedCode) return instruction.responseCode;
  if (authentication && /[NR]/.test(authentication.authenticatedResponse)) return 11;
  if (request.isExpired) return 6;
  // An incorrect security code is refused with the generic DECLINED (docs.adyen.com/development-resources/testing).
  return request.isSecurityCodeCorrect === false ? 2 : approvedCode;
}

/** Returns the value of Adyen's `cvcResult`. */
function cvcResult({ isSecurityCodeCorrect }: PaymentRequest): string {
  if (isSecurityCodeCorrect === null) return "6 No CVC/CVV provided";
  return isSecurityCodeCorrect ? "1 Matches" : "2 Doesn't match";
}

/** Returns the value of Adyen's `avsResult`. Every address matches. */
function avsResult({ hasAddress }: PaymentRequest): string {
  return hasAddress ? "7 Both postal code and address match" : "5 No AVS data provided";
}

function redirect(
  platform: Platform,
  account: MerchantAccount,
  payment: Payment,
  returnUrl: string,
): Reply {
  const token = `${payment.pspReference}${randomBytes(12).toString("hex")}`;
  const redirected: Payment = {
    ...payment,
    state: "redirected",
    redirect: { token, returnUrl, outcome: null },
  };
  platform.state.put("payments", payment.pspReference, redirected);
  return {
    status: 200,
    body: {
      ...(account.returnsAdditionalData
        ? { additionalData: { "threeds2.cardEnrolled": "true", cardSummary: payment.card.last4 } }
        : {}),
      pspReference: payment.pspReference,
      resultCode: "RedirectShopper",
      action: {
        paymentMethodType: "scheme",
        url: `${platform.settings.checkoutShopperUrl}/checkoutshopper/threeDS/redirect/${token}`,
        method: "GET",
        type: "redirect",
      },
    },
    complete: () => [],
    afterMs: 0,
    notifiesEarly: false,
  };
}

const detailsFields: ReadonlySet<string> = new Set([
  "authenticationData",
  "details",
  "paymentData",
  "threeDSAuthenticationOnly",
]);

/** Handles `POST /payments/details` after the redirect. A repeated request returns the same outcome. */
export function submitDetails(
  platform: Platform,
  accounts: readonly MerchantAccount[],
  body: JsonObject,
): Reply {
  assertKnownFields("PaymentDetailsRequest", body, detailsFields);
  const details = objectField(body, "details");
  if (details === null) throw invalid("702", "Required field 'details' is not provided.");
  const redirectResult = textField(details, "redirectResult", 20_000) ?? "";
  const payment = platform.state.payments.get(redirectResult.slice(0, 16));
  const account = accounts.find(
    ({ merchantAccount }) => merchantAccount === payment?.merchantAccount,
  );
  const outcome = payment?.redirect?.outcome;
  if (!payment || !account || outcome?.redirectResult !== redirectResult) {
    throw invalid("702", "Field 'details.redirectResult' is not valid.");
  }
  const fault =
    platform.takeFault("details", notificationFaults, account.merchantAccount)?.fault ?? null;
  const extra = { merchantReference: payment.reference };
  if (payment.state !== "redirected") {
    const body = { ...paymentResponse(account, payment, codeOf(payment)), ...extra };
    return { status: 200, body, complete: () => [], afterMs: 0, notifiesEarly: false };
  }
  const authentication: ThreeDSecure = {
    authenticated: outcome.authenticated,
    offeredResponse: "C",
    authenticatedResponse: outcome.authenticated ? "Y" : "N",
    eci: outcome.authenticated ? eciOf(payment.card.brand) : null,
    version: "2.2.0",
    dsTransID: null,
  };
  const responseCode = outcome.authenticated ? payment.instruction.responseCode : 11;
  const returned = { ...payment, authentication, notificationFault: fault };
  return decide(platform, account, returned, responseCode, extra);
}

/** Decides as the issuer, records the payment, and returns the response. */
function decide(
  platform: Platform,
  account: MerchantAccount,
  payment: Payment,
  responseCode: number,
  extra: Record<string, unknown>,
): Reply {
  const code = responseOf(responseCode);
  const instruction = withCode(payment.instruction, responseCode);
  let decided: Payment = { ...payment, instruction, state: "refused" };
  if (code.resultCode === "Received") decided = { ...decided, state: "received" };
  if (code.resultCode === "Authorised") decided = approve(platform, account, decided);
  platform.state.put("payments", decided.pspReference, decided);
  const notifications = code.resultCode === "Received" ? [] : recordOutcome(platform, decided);
  return {
    status: 200,
    body: { ...paymentResponse(account, decided, code), ...extra },
    complete: () => {
      if (decided.state === "received") return authorizeReceived(platform, decided.pspReference);
      scheduleCaptureAndExpiry(platform, decided);
      return notifications;
    },
    afterMs: code.resultCode === "Received" ? platform.settings.processingMs : 0,
    notifiesEarly: decided.notificationFault === "early_notification",
  };
}

function approve(platform: Platform, account: MerchantAccount, payment: Payment): Payment {
  const now = platform.clock.nowMs();
  const { value } = payment.amount;
  const isSale = payment.capture.kind === "automatic" && payment.capture.delayHours === 0;
  platform.move(payment, {
    kind: "authorized",
    debit: "issuer_holds",
    credit: "authorized",
    value,
    modification: null,
  });
  const approved: Payment = {
    ...payment,
    state: "authorised",
    authCode: digits(6),
    networkTxReference: newNetworkTransactionId(payment.card.brand === "mc", now),
    acquirerReference: newPspReference().slice(0, 11),
    authorisedAt: now,
    expiresAt: now + account.authorizationValidDays * dayMs,
  };
  return isSale ? captureValue(platform, approved, value, null) : approved;
}

function digits(count: number): string {
  return String(randomInt(10 ** count)).padStart(count, "0");
}

const dayMs = 24 * 60 * 60 * 1000;

/** Approves a payment whose response was `Received`. */
export function authorizeReceived(platform: Platform, pspReference: string): readonly string[] {
  const payment = platform.state.payments.get(pspReference);
  if (payment?.state !== "received") return [];
  const approved = approve(platform, platform.account(payment.merchantAccount), payment);
  platform.state.put("payments", pspReference, approved);
  const notifications = recordOutcome(platform, approved);
  scheduleCaptureAndExpiry(platform, approved);
  return notifications;
}

/**
 * Schedules the automatic capture, the expiry of the authorization, and the dispute that a test instruction requests.
 */
export function scheduleCaptureAndExpiry(platform: Platform, payment: Payment): void {
  if (payment.state !== "authorised" || payment.authorisedAt === null) return;
  scheduleTestDispute(platform, payment);
  scheduleCaptureFailure(platform, payment);
  const held = heldValue(payment);
  if (held === 0) return;
  const { pspReference, capture, authorisedAt, expiresAt } = payment;
  if (capture.kind === "automatic") {
    const at = authorisedAt + capture.delayHours * 60 * 60 * 1000;
    platform.clock.schedule(at, () => captureRemainder(platform, pspReference));
  }
  if (expiresAt !== null) {
    platform.clock.schedule(expiresAt, () => platform.dispatch(expire(platform, pspReference)));
  }
}

/** Schedules the failure of an automatic capture. */
function scheduleCaptureFailure(platform: Platform, payment: Payment): void {
  const { capture, authorisedAt, captureFailsAfterMs, capturedValue, pspReference } = payment;
  if (capture.kind !== "automatic" || authorisedAt === null) return;
  if (captureFailsAfterMs === null || capturedValue === 0) return;
  const capturedAt = authorisedAt + capture.delayHours * 60 * 60 * 1000;
  platform.clock.schedule(capturedAt + captureFailsAfterMs, () => {
    const notifications = failAutomaticCapture(platform, pspReference);
    platform.state.commit();
    platform.dispatch(notifications);
  });
}

/**
 * Reverses an automatic capture. CAPTURE_FAILED contains the reference of the payment, because an automatic capture has
 * no reference of its own.
 */
function failAutomaticCapture(platform: Platform, pspReference: string): readonly string[] {
  const payment = platform.state.payments.get(pspReference);
  if (!payment || payment.captureFailsAfterMs === null || payment.capturedValue === 0) return [];
  const failed = failCapture(platform, payment, payment.capturedValue, null);
  platform.state.put("payments", pspReference, { ...failed, captureFailsAfterMs: null });
  const { merchantAccount, reference, card, capturedValue } = payment;
  return recordEvent(
    platform,
    {
      merchantAccount,
      eventCode: "CAPTURE_FAILED",
      pspReference,
      originalReference: pspReference,
      merchantReference: reference,
      amount: { ...payment.amount, value: capturedValue },
      success: true,
      reason: captureFailureReason,
      paymentMethod: card.brand,
      operations: null,
      additionalData: {},
    },
    null,
  );
}

/** Executes an automatic capture, which sends no notification. */
function captureRemainder(platform: Platform, pspReference: string): void {
  const payment = platform.state.payments.get(pspReference);
  if (!payment) return;
  const held = heldValue(payment);
  if (held === 0) return;
  const captured = captureValue(platform, payment, held, null);
  platform.state.put("payments", pspReference, captured);
  platform.state.commit();
  scheduleTestDispute(platform, captured);
  scheduleCaptureFailure(platform, captured);
}

function expire(platform: Platform, pspReference: string): readonly string[] {
  const payment = platform.state.payments.get(pspReference);
  if (!payment) return [];
  const held = heldValue(payment);
  if (held === 0) return [];
  platform.state.put("payments", pspReference, releaseValue(platform, payment, held, null));
  const facts = {
    merchantAccount: payment.merchantAccount,
    eventCode: "EXPIRE" as const,
    pspReference,
    originalReference: null,
    merchantReference: payment.reference,
    amount: payment.amount,
    success: true,
    reason: "",
    paymentMethod: payment.card.brand,
    operations: null,
    additionalData: {},
  };
  const notifications = recordEvent(platform, facts, null);
  platform.state.commit();
  return notifications;
}

function recordOutcome(platform: Platform, payment: Payment): string[] {
  const account = platform.account(payment.merchantAccount);
  const isApproved = payment.state === "authorised";
  const code = codeOf(payment);
  const { authCode, card } = payment;
  return recordEvent(
    platform,
    {
      merchantAccount: payment.merchantAccount,
      eventCode: "AUTHORISATION",
      pspReference: payment.pspReference,
      originalReference: null,
      merchantReference: payment.reference,
      amount: payment.amount,
      success: isApproved,
      reason: isApproved ? `${authCode}:${card.last4}:${card.expiry}` : code.refusalReason,
      paymentMethod: card.brand,
      operations: isApproved ? ["CANCEL", "CAPTURE", "REFUND"] : null,
      additionalData: account.returnsAdditionalData ? additionalDataOf(payment, code) : {},
    },
    payment.notificationFault,
  );
}

function codeOf(payment: Payment): ResponseCode {
  return responseOf(payment.instruction.responseCode);
}

/** Returns the fields that the schemas `PaymentResponse` and `PaymentDetailsResponse` have in common. */
function paymentResponse(
  account: MerchantAccount,
  payment: Payment,
  code: ResponseCode,
): Record<string, unknown> {
  return {
    ...(account.returnsAdditionalData ? { additionalData: additionalDataOf(payment, code) } : {}),
    pspReference: payment.pspReference,
    ...(code.refusalReason === ""
      ? {}
      : { refusalReason: code.refusalReason, refusalReasonCode: String(code.code) }),
    resultCode: code.resultCode,
    amount: payment.amount,
    merchantReference: payment.reference,
    ...(code.resultCode === "Authorised"
      ? { paymentMethod: { type: "scheme", brand: payment.card.brand } }
      : {}),
  };
}

/** Returns the fields that Adyen adds if the account enables them. The notification contains the same fields. */
function additionalDataOf(payment: Payment, code: ResponseCode): Record<string, string> {
  const { card, checks, authentication } = payment;
  const rawReason = payment.instruction.rawReason ?? code.rawReason;
  return {
    cardSummary: card.last4,
    expiryDate: payment.accountUpdate?.expiryDate ?? card.expiry,
    ...(payment.accountUpdate && {
      realtimeAccountUpdaterStatus: payment.accountUpdate.status,
    }),
    paymentMethod: card.brand,
    fundingSource: "CREDIT",
    issuerCountry: "NL",
    cvcResult: checks.cvc,
    cvcResultRaw: checks.cvc.startsWith("1") ? "M" : checks.cvc.startsWith("2") ? "N" : "",
    avsResult: checks.avs,
    ...(payment.authCode === null ? {} : { authCode: payment.authCode }),
    ...(payment.networkTxReference === null
      ? {}
      : { networkTxReference: payment.networkTxReference }),
    ...(payment.acquirerReference === null ? {} : { acquirerReference: payment.acquirerReference }),
    ...(rawReason === null ? {} : { refusalReasonRaw: rawReason }),
    ...(card.brand === "mc" && code.code === 26
      ? { merchantAdviceCode: "03 : Do not try again" }
      : {}),
    ...(payment.recurringProcessingModel === null
      ? {}
      : { recurringProcessingModel: payment.recurringProcessingModel }),
    threeDOffered: String(authentication !== null),
    threeDAuthenticated: String(authentication?.authenticated === true),
    liabilityShift: String(authentication?.authenticated === true),
    ...(authentication === null
      ? {}
      : {
          threeDOfferedResponse: authentication.offeredResponse,
          threeDAuthenticatedResponse: authentication.authenticatedResponse,
          threeDSVersion: authentication.version,
          ...(authentication.eci === null ? {} : { eci: authentication.eci }),
          ...(authentication.dsTransID === null ? {} : { dsTransID: authentication.dsTransID }),
        }),
  };
}
