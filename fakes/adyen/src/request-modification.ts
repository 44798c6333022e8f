import type { JsonObject } from "@florin/shared-fake/json-object.ts";
import type { Amount } from "./amount.ts";
import { executeModification } from "./execute-modification.ts";
import { type Endpoint, lateFaults, notificationFaults } from "./faults.ts";
import type { MerchantAccount } from "./merchant-account.ts";
import type { Modification, ModificationKind } from "./modification.ts";
import type { Payment } from "./payment.ts";
import type { Platform } from "./platform.ts";
import { newPspReference } from "./psp-reference.ts";
import type { Reply } from "./reply.ts";
import { amountField, assertKnownFields, textField } from "./request-fields.ts";
import { invalid } from "./service-error.ts";

/** The endpoints below `/payments/{paymentPspReference}`. */
const modificationEndpoints = {
  captures: {
    kind: "capture",
    structure: "PaymentCaptureRequest",
    fields: fieldSet(
      "amount applicationInfo enhancedSchemeData lineItems merchantAccount platformChargebackLogic reference splits subMerchants",
    ),
  },
  cancels: {
    kind: "cancel",
    structure: "PaymentCancelRequest",
    fields: fieldSet("applicationInfo merchantAccount reference"),
  },
  refunds: {
    kind: "refund",
    structure: "PaymentRefundRequest",
    fields: fieldSet(
      "amount applicationInfo capturePspReference enhancedSchemeData lineItems merchantAccount merchantRefundReason reference splits store",
    ),
  },
  reversals: {
    kind: "reversal",
    structure: "PaymentReversalRequest",
    fields: fieldSet("applicationInfo merchantAccount reference"),
  },
} as const;

export type ModificationEndpoint = keyof typeof modificationEndpoints;

export function isModificationEndpoint(name: string): name is ModificationEndpoint {
  return Object.hasOwn(modificationEndpoints, name);
}

function fieldSet(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}

/** Handles `/payments/{paymentPspReference}/captures`, `cancels`, `refunds` and `reversals`. */
export function requestModification(
  platform: Platform,
  account: MerchantAccount,
  endpoint: ModificationEndpoint,
  paymentPspReference: string,
  body: JsonObject,
): Reply {
  const { kind, structure, fields } = modificationEndpoints[endpoint];
  assertKnownFields(structure, body, fields);
  const payment = platform.state.payments.get(paymentPspReference);
  if (payment?.merchantAccount !== account.merchantAccount) {
    throw invalid("167", "Original pspReference required for this operation");
  }
  const amount = kind === "capture" || kind === "refund" ? amountField(body, 1) : null;
  const modification = record(platform, account, { endpoint, kind, payment, amount, body });
  return replyOf(platform, modification, {
    ...(amount === null ? {} : { amount }),
    merchantAccount: account.merchantAccount,
    paymentPspReference,
  });
}

const standaloneFields = fieldSet("applicationInfo merchantAccount paymentReference reference");

/**
 * Handles `/cancels`, which identifies the payment by the merchant's reference. Accepts the request even if the payment
 * does not exist.
 */
export function requestTechnicalCancel(
  platform: Platform,
  account: MerchantAccount,
  body: JsonObject,
): Reply {
  assertKnownFields("StandalonePaymentCancelRequest", body, standaloneFields);
  const paymentReference = textField(body, "paymentReference", 80);
  if (!paymentReference) {
    throw invalid("702", "Required field 'paymentReference' is not provided.");
  }
  const payment = platform.state.paymentByReference(account.merchantAccount, paymentReference);
  const modification = record(platform, account, {
    endpoint: "technical_cancels",
    kind: "technical_cancel",
    payment,
    amount: null,
    body,
  });
  return replyOf(platform, modification, {
    merchantAccount: account.merchantAccount,
    paymentReference,
  });
}

type ModificationRequest = {
  readonly endpoint: Endpoint;
  readonly kind: ModificationKind;
  readonly payment: Payment | null;
  readonly amount: Amount | null;
  readonly body: JsonObject;
};

function record(
  platform: Platform,
  account: MerchantAccount,
  { endpoint, kind, payment, amount, body }: ModificationRequest,
): Modification {
  const modification: Modification = {
    pspReference: newPspReference(),
    kind,
    merchantAccount: account.merchantAccount,
    payment: payment?.pspReference ?? null,
    paymentReference: payment?.reference ?? textField(body, "paymentReference", 80) ?? "",
    reference: textField(body, "reference", 80),
    amount,
    createdAt: platform.clock.nowMs(),
    state: "received",
    executedValue: 0,
    failureReason: null,
    failsAt: null,
    notificationFault:
      platform.takeFault(endpoint, notificationFaults, account.merchantAccount)?.fault ?? null,
    lateFailureMs:
      platform.takeFault(endpoint, lateFaults, account.merchantAccount)?.delayMs ?? null,
  };
  platform.state.put("modifications", modification.pspReference, modification);
  return modification;
}

function replyOf(platform: Platform, modification: Modification, fields: JsonObject): Reply {
  const { pspReference, reference } = modification;
  return {
    status: 201,
    body: {
      ...fields,
      pspReference,
      ...(reference === null ? {} : { reference }),
      status: "received",
    },
    complete: () => executeModification(platform, pspReference),
    afterMs: platform.settings.processingMs,
    notifiesEarly: modification.notificationFault === "early_notification",
  };
}
