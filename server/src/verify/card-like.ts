import { passesLuhn } from "../primitives/luhn.ts";
import { findTestCard } from "../processors/simulator/test-cards.ts";

/**
 * Digits that can be a card number: bounded by neither letter nor digit, alone or in groups of four (American
 * Express: 4-6-5). The same text is a pattern of Postgres, which sifts the rows, and of JavaScript, which decides.
 */
export const cardShape =
  "(?<![0-9A-Za-z_.-])([0-9]{13,19}|[0-9]{4}([ -])[0-9]{4}\\2[0-9]{4}\\2[0-9]{1,7}|[0-9]{4}[ -][0-9]{6}[ -][0-9]{5})(?![0-9A-Za-z_-])";

/** A security code under its own name. */
export const codeShape = '"(cvc|cvv|cvc2|cvv2|security_code|number)" *: *"?[0-9]{3,4}"?[,}\\s]';

/** First digits and lengths that the card networks issue (ISO/IEC 7812; the networks' own tables). */
const issued =
  /^(4(\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(0[0-5]|[689]\d)\d{11}|35\d{14}|6(011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}|6\d{11,18})$/;

/** Whether a text holds what looks like a card number; it is named by its last four digits only. */
export function findCardLike(text: string): string | null {
  for (const [, run = ""] of text.matchAll(new RegExp(cardShape, "g"))) {
    const digits = run.replace(/\D/g, "");
    if (findTestCard(digits) || (passesLuhn(digits) && issued.test(digits))) {
      return `a card number ending in ${digits.slice(-4)}`;
    }
  }
  return new RegExp(codeShape).test(text) ? "a security code" : null;
}
