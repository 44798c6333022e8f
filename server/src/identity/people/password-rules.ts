import { lackOfPassword } from "@florin/contract/password.ts";
import { ApiError } from "../../core/api-error.ts";
import { isOnList } from "./common-passwords.ts";

/**
 * Common components of long passwords in leaked lists: words, keyboard rows and sequences. They occur repeated, or
 * with digits and signs around them. Selected by hand from the lists in SecLists ("Common-Credentials").
 */
const commonParts = (
  "password passwort passw0rd p@ssw0rd motdepasse contrasena qwertyuiop qwertzuiop azertyuiop " +
  "asdfghjkl zxcvbnm qwerty azerty 1q2w3e4r5t 1q2w3e4r 1qaz2wsx q1w2e3r4 administrator admin " +
  "welcome willkommen letmein changeme iloveyou trustno1 sunshine princess football baseball " +
  "superman starwars dragon monkey master shadow secret default hallo hello login test abc florin " +
  "payments payment"
).split(" ");

/**
 * Rejects a password that does not meet PCI DSS 8.3.6 (length and character classes), or that is on a list of common
 * passwords (NIST SP 800-63B §3.1.1.2).
 */
export async function rejectWeakPassword(
  password: string,
  person: { email: string; name: string },
): Promise<void> {
  const lack = lackOfPassword(password);
  if (lack) throw unsuitable(lack);
  if (isAboutThemselves(password, person)) {
    throw unsuitable(
      "The password must not consist mainly of your name or your email address. Choose another password.",
    );
  }
  if (isCommon(password) || (await isOnList(password))) {
    throw unsuitable(
      "The password is easy to guess, because it resembles a common password, a keyboard pattern, a sequence or a repetition. Choose another password, such as several unrelated words and a number.",
    );
  }
}

function isAboutThemselves(password: string, person: { email: string; name: string }): boolean {
  const email = person.email.toLowerCase();
  return consistsOf(password, [
    email,
    ...email.split("@"),
    ...person.name.toLowerCase().split(/\s+/),
  ]);
}

function isCommon(password: string): boolean {
  const fewCharacters = new Set(password.toLowerCase()).size < 5;
  return fewCharacters || isCount(password) || consistsOf(password, commonParts);
}

/** Returns whether the characters are a sequence: `abcdefghijkl`, `987654321098`. */
function isCount(password: string): boolean {
  const codes = [...password].map((character) => character.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, index) => code - (codes[index] as number));
  return steps.filter((step) => Math.abs(step) !== 1).length <= 1;
}

/** Returns whether the password contains any of these words and fewer than four other letters. */
function consistsOf(password: string, words: readonly string[]): boolean {
  const whole = password.toLowerCase();
  let rest = whole;
  for (const word of words) if (word.length >= 3) rest = rest.replaceAll(word, "");
  return rest !== whole && rest.replace(/[^\p{L}]/gu, "").length < 4;
}

function unsuitable(message: string): ApiError {
  return new ApiError("password_unsuitable", message, { param: "password" });
}
