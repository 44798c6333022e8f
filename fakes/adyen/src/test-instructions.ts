/**
 * The outcome that the test values of a request select. Adyen documents these values
 * (docs.adyen.com/development-resources/testing/result-codes, …/testing/payments-and-modifications and
 * docs.adyen.com/risk-management/disputes-api/test-applicable-dispute-reasons).
 */
export type TestInstruction = {
  /** The code of `RequestedTestAcquirerResponseCode`. 1 approves. */
  readonly responseCode: number;
  /** The issuer's raw decline reason, if the request names one. */
  readonly rawReason: string | null;
  readonly laterFailure: "capture" | "refund" | "refund_reversed" | null;
  readonly dispute: {
    readonly reasonCode: string | null;
    readonly followedBy: "reversed" | "second_chargeback" | null;
  } | null;
};

export type ResponseCode = {
  readonly code: number;
  readonly name: string;
  readonly resultCode: "Authorised" | "Received" | "Refused" | "Error" | "Cancelled";
  readonly refusalReason: string;
  /** The network's response if the issuer refused the payment. Null otherwise. */
  readonly rawReason: string | null;
};

function refused(code: number, name: string, reason: string, raw: string | null): ResponseCode {
  return { code, name, resultCode: "Refused", refusalReason: reason, rawReason: raw };
}

function failed(code: number, name: string, reason: string): ResponseCode {
  return { code, name, resultCode: "Error", refusalReason: reason, rawReason: null };
}

export const responseCodes: readonly ResponseCode[] = [
  failed(0, "UNKNOWN", "Unknown"),
  {
    code: 1,
    name: "APPROVED",
    resultCode: "Authorised",
    refusalReason: "",
    rawReason: "AUTHORISED",
  },
  refused(2, "DECLINED", "Refused", "05 : Do not honor"),
  refused(3, "REFERRAL", "Referral", "01 : Refer to card issuer"),
  failed(4, "ERROR", "Acquirer Error"),
  refused(5, "BLOCK_CARD", "Blocked Card", "04 : Pick up card"),
  refused(6, "CARD_EXPIRED", "Expired Card", "54 : Expired card"),
  refused(7, "INVALID_AMOUNT", "Invalid Amount", "13 : Invalid amount"),
  refused(8, "INVALID_CARD_NUMBER", "Invalid Card Number", "14 : Invalid card number"),
  refused(9, "ISSUER_UNAVAILABLE", "Issuer Unavailable", "91 : Issuer unavailable"),
  refused(10, "NOT_SUPPORTED", "Not supported", "57 : Transaction not permitted"),
  refused(11, "NOT_3D_AUTHENTICATED", "3D Not Authenticated", null),
  refused(12, "NOT_ENOUGH_BALANCE", "Not enough balance", "51 : Insufficient funds"),
  {
    code: 13,
    name: "PENDING",
    resultCode: "Received",
    refusalReason: "",
    rawReason: "AUTHORISED",
  },
  refused(14, "ACQUIRER_FRAUD", "Acquirer Fraud", "59 : Suspected fraud"),
  refused(15, "CANCELLED", "Cancelled", null),
  refused(16, "SHOPPER_CANCELLED", "Shopper Cancelled", null),
  refused(17, "INVALID_PIN", "Invalid Pin", "55 : Incorrect PIN"),
  refused(18, "PIN_TRIES_EXCEEDED", "Pin tries exceeded", "75 : PIN tries exceeded"),
  refused(19, "PIN_VALIDATION_NOT_POSSIBLE", "Pin validation not possible", null),
  refused(20, "FRAUD", "FRAUD", null),
  refused(21, "NOT_SUBMITTED", "Not Submitted", null),
  refused(22, "FRAUD_CANCELLED", "FRAUD-CANCELLED", null),
  refused(23, "TRANSACTION_NOT_PERMITTED", "Transaction Not Permitted", "57 : Not permitted"),
  refused(24, "CVC_DECLINED", "CVC Declined", "N7 : Decline for CVV2 failure"),
  refused(25, "RESTRICTED_CARD", "Restricted Card", "62 : Restricted card"),
  refused(26, "REVOCATION_OF_AUTH", "Revocation Of Auth", "R1 : Revocation of authorization"),
  refused(27, "DECLINED_NON_GENERIC", "Declined Non Generic", "05 : Do not honor"),
  refused(28, "WITHDRAWAL_AMOUNT_EXCEEDED", "Withdrawal amount exceeded", "61 : Exceeds limit"),
  refused(29, "WITHDRAWAL_COUNT_EXCEEDED", "Withdrawal count exceeded", "65 : Exceeds frequency"),
  refused(31, "ISSUER_SUSPECTED_FRAUD", "Issuer Suspected Fraud", "59 : Suspected fraud"),
  refused(32, "AVS_DECLINED", "AVS Declined", "82 : Negative AVS result"),
  refused(33, "PIN_REQUIRED", "Card requires online pin", "70 : PIN data required"),
  refused(34, "NO_CHECKING_ACCOUNT", "No checking account available on Card", "52 : No account"),
  refused(35, "NO_SAVINGS_ACCOUNT", "No savings account available on Card", "53 : No account"),
  refused(36, "MOBILE_PIN_REQUIRED", "Mobile pin required", null),
  refused(37, "CONTACTLESS_FALLBACK", "Contactless fallback", null),
  refused(38, "AUTHENTICATION_REQUIRED", "Authentication required", "1A : Authentication required"),
  refused(39, "RREQ_NOT_RECEIVED", "RReq not received from DS", null),
  refused(42, "THREEDS2_AUTHENTICATION_ERROR", "3DS Authentication Error", null),
  refused(
    46,
    "TRANSACTION_BLOCKED",
    "Transaction blocked by Adyen to prevent excessive retry fees",
    null,
  ),
];

const byCode = new Map(responseCodes.map((entry) => [entry.code, entry]));
const byName = new Map(responseCodes.map((entry) => [entry.name, entry]));

export const approvedCode = 1;

export function responseOf(code: number): ResponseCode {
  return byCode.get(code) as ResponseCode;
}

/** The instruction of almost every payment, shared to save memory. */
const none: TestInstruction = {
  responseCode: approvedCode,
  rawReason: null,
  laterFailure: null,
  dispute: null,
};

const laterFailures = {
  "capture failed": "capture",
  "refund failed": "refund",
  "refunded reversed": "refund_reversed",
} as const;

/** Returns the instruction that `RequestedTestAcquirerResponseCode` or the cardholder's name contains. */
export function readTestInstruction(holderName: string, requestedCode: unknown): TestInstruction {
  const requested =
    typeof requestedCode === "number" || typeof requestedCode === "string"
      ? (byCode.get(Number(requestedCode)) ?? byName.get(String(requestedCode)))
      : undefined;
  if (requested) return { ...none, responseCode: requested.code };
  const name = holderName.trim();
  const chargeback = /^chargeback(?::(.+))?$/i.exec(name);
  if (chargeback) {
    return { ...none, dispute: { reasonCode: chargeback[1]?.trim() ?? null, followedBy: null } };
  }
  switch (name.toLowerCase()) {
    case "chargeback reversed":
      return { ...none, dispute: { reasonCode: null, followedBy: "reversed" } };
    case "second chargeback":
      return { ...none, dispute: { reasonCode: null, followedBy: "second_chargeback" } };
    case "capture failed":
    case "refund failed":
    case "refunded reversed": {
      const key = name.toLowerCase() as keyof typeof laterFailures;
      return { ...none, laterFailure: laterFailures[key] };
    }
  }
  // `DECLINED : 06 : ERROR` also sets the raw reason.
  const [responseName = "", ...raw] = name.split(":").map((part) => part.trim());
  const response = byName.get(responseName);
  if (!response) return none;
  return {
    ...none,
    responseCode: response.code,
    rawReason: raw.length > 0 ? raw.join(" : ") : null,
  };
}

/**
 * Test cards that are enrolled in 3-D Secure at Adyen. Other cards are authenticated only if the request requires it.
 */
const enrolledCards: ReadonlySet<string> = new Set(["4917610000000000", "5454545454545454"]);

export function isEnrolled(cardNumber: string): boolean {
  return enrolledCards.has(cardNumber);
}

/** Returns whether the code is a security code of Adyen's test cards. A payment with any other code is refused. */
export function isTestSecurityCode(code: string): boolean {
  return code === "737" || code === "7373";
}
