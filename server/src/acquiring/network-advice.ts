import type { DeclineCode, RetryClass } from "@florin/contract/declines.ts";

const hourMs = 60 * 60 * 1000;

/**
 * Mastercard's merchant advice codes (docs.adyen.com/development-resources/raw-acquirer-responses, "Mastercard merchant
 * advice codes"). Codes 40 to 43 describe the card, and code 04 concerns network tokens. They do not say whether
 * another attempt can succeed.
 */
export const merchantAdvice: Readonly<
  Record<
    string,
    {
      readonly retry: RetryClass;
      readonly waitMs: number | null;
      /**
       * A decline code that is used if the refusal reason is generic. Null if the advice gives no more specific code.
       */
      readonly code: DeclineCode | null;
    }
  >
> = {
  "01": { retry: "fix", waitMs: null, code: "new_account_information_available" },
  "02": { retry: "later", waitMs: null, code: "try_again_later" },
  "03": { retry: "never", waitMs: null, code: "do_not_try_again" },
  21: { retry: "never", waitMs: null, code: "revocation_of_authorization" },
  24: { retry: "later", waitMs: hourMs, code: null },
  25: { retry: "later", waitMs: 24 * hourMs, code: null },
  26: { retry: "later", waitMs: 2 * 24 * hourMs, code: null },
  27: { retry: "later", waitMs: 4 * 24 * hourMs, code: null },
  28: { retry: "later", waitMs: 6 * 24 * hourMs, code: null },
  29: { retry: "later", waitMs: 8 * 24 * hourMs, code: null },
  30: { retry: "later", waitMs: 10 * 24 * hourMs, code: null },
};

/** The codes of Visa's category 1. The issuer never approves the card, and each further attempt costs a fee. */
export const visaNeverApproves: ReadonlySet<string> = new Set([
  "04",
  "07",
  "12",
  "14",
  "15",
  "41",
  "43",
  "46",
  "57",
  "R0",
  "R1",
  "R3",
]);

/** Returns the table's entry for the key, or null if the key is null or not in the table. */
export function entryOf<Entry>(
  table: Readonly<Record<string, Entry>>,
  key: string | null,
): Entry | null {
  return key !== null && Object.hasOwn(table, key) ? (table[key] as Entry) : null;
}
