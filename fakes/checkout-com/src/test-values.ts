import { decimalsOf } from "./amount.ts";
import type { AccountUpdate, IssuerResponse } from "./records.ts";

const summaries: Readonly<Record<string, string>> = {
  "10000": "Approved",
  "20005": "Declined - Do Not Honour",
  "20012": "Invalid Transaction",
  "20014": "Invalid Card Number",
  "20051": "Insufficient Funds",
  "20062": "Restricted Card",
  "20063": "Security Violation",
  "20068": "Response Received Too Late / Timeout",
  "20087": "Bad Track Data (invalid CVV and/or expiry date)",
  "20109":
    "Authorization Already Reversed (voided) or Capture is larger than initial Authorised Value",
  "20151": "Cardholder failed 3D-Secure authentication",
  "20152": "Initial 3DS transaction not completed within 15 minutes",
  "20154": "3DS authentication required",
  "200R1": "Issuer initiated a stop payment (revocation order) for this authorization",
  "200R3": "Issuer initiated a stop payment (revocation order) for all payments",
  "30033": "Expired card - Pick up",
  "40101": "Payment blocked due to risk",
  "40108": "Gateway Reject - Post code failed",
};

/** Returns a response with the summary of its code (checkout.com/docs/resources/codes/response-codes). */
export function responseOf(
  code: string,
  merchantAdviceCode: string | null = null,
  accountUpdate: AccountUpdate | null = null,
): IssuerResponse {
  return { code, summary: summaries[code] ?? "Declined", merchantAdviceCode, accountUpdate };
}

/** The last two digits of a five-digit amount, and the code that they cause (docs.checkout.com/testing/response-code-testing). */
const byLastDigits: Readonly<Record<string, string>> = {
  "05": "20005",
  "12": "20012",
  "14": "20014",
  "33": "30033",
  "51": "20051",
  "54": "20087",
  "62": "20062",
  "63": "20063",
};

/** Amounts that cause a code (same page). */
const byAmount: Readonly<Record<number, string>> = {
  2011: "200R1",
  2013: "200R3",
  4001: "40101",
  4008: "40108",
  9998: "20068",
};

/** Amounts that an issuer declines unless the cardholder was authenticated (same page). */
const authenticatedOnly: ReadonlySet<number> = new Set([6510, 6520, 6530, 6540]);

/**
 * Returns the response that the amount causes. The amounts have an effect only in currencies with two decimals (same
 * page).
 */
export function testResponseOf(
  amount: number,
  currency: string,
  isAuthenticated: boolean,
): IssuerResponse {
  if (decimalsOf(currency) !== 2) return responseOf("10000");
  if (authenticatedOnly.has(amount)) return responseOf(isAuthenticated ? "10000" : "20154");
  const ofDigits = /^\d{5}$/.test(String(amount)) ? byLastDigits[String(amount).slice(-2)] : null;
  return responseOf(byAmount[amount] ?? ofDigits ?? "10000");
}

const avsCodes: ReadonlySet<string> = new Set(
  "A B C D F G I M N P R U Y Z AE1 AE2 AE3 AE4 AE5 AE6 AE7".split(" "),
);

/**
 * Returns the result of the address check. The first address line can select a result: `Test_N` causes the result `N`.
 * Any other line causes the result `S` (checkout.com/docs/four/testing/avs-check-testing).
 */
export function avsCheckOf(addressLine1: string | null): string {
  const code = addressLine1?.startsWith("Test_") ? addressLine1.slice(5) : "";
  return avsCodes.has(code) ? code : "S";
}
