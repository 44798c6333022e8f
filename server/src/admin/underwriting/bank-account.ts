import type { BankAccountSection, ShownBankAccount } from "@florin/contract/application.ts";
import { ApiError } from "../../core/api-error.ts";
import { isIban } from "../../core/iban.ts";

/** Validates a bank account. Returns the bank account in its stored form, without spaces in its number. */
export function readBankAccount(typed: BankAccountSection): BankAccountSection {
  const account_number = typed.account_number.replaceAll(" ", "").toUpperCase();
  if (looksLikeIban(account_number) && !isIban(account_number)) {
    throw wrong(
      "account_number",
      "The IBAN is invalid. Check it for a wrong or missing character.",
    );
  }
  if (looksLikeIban(account_number)) return { ...typed, account_number };
  if (!typed.routing_number) {
    throw wrong(
      "routing_number",
      "The bank code is missing. Enter the bank code, or enter an IBAN as the account number.",
    );
  }
  if (typed.country === "US" && !isAbaNumber(typed.routing_number)) {
    throw wrong("routing_number", "The routing number is invalid. Check its nine digits.");
  }
  return { ...typed, account_number };
}

/** Returns the bank account with a masked number. The full number is never shown again. */
export function shownBankAccount(account: BankAccountSection): ShownBankAccount {
  return {
    holder_name: account.holder_name,
    country: account.country,
    currency: account.currency,
    last4: account.account_number.slice(-4),
    routing_number: account.routing_number ?? null,
  };
}

function looksLikeIban(number: string): boolean {
  return /^[A-Z]{2}[0-9]{2}/.test(number);
}

/**
 * Returns whether the text is a valid ABA routing number: nine digits whose sum, weighted 3, 7 and 1, is a multiple of
 * ten.
 */
export function isAbaNumber(number: string): boolean {
  if (!/^[0-9]{9}$/.test(number)) return false;
  const weights = [3, 7, 1];
  const sum = [...number].reduce(
    (total, digit, index) => total + Number(digit) * (weights[index % 3] as number),
    0,
  );
  return sum % 10 === 0;
}

function wrong(param: string, message: string): ApiError {
  return new ApiError("parameter_invalid", message, { param });
}
