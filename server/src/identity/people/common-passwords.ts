import { readFile } from "node:fs/promises";

/** Almost 50,000 passwords of leaked lists, the most common first, as zxcvbn-ts collects them. */
const listUrl = import.meta.resolve("@zxcvbn-ts/language-common/src/passwords.json");

let list: Promise<ReadonlySet<string>> | null = null;

/** Loads the list (4 MB) only when the first password is set. */
function readList(): Promise<ReadonlySet<string>> {
  list ??= readFile(new URL(listUrl), "utf8").then((text) => new Set(JSON.parse(text) as string[]));
  return list;
}

/**
 * Returns whether the password is on the list, also with digits and signs around it, repeated, or with letters
 * replaced by the usual digits and signs.
 */
export async function isOnList(password: string): Promise<boolean> {
  const known = await readList();
  return spellingsOf(password.toLowerCase()).some((text) => known.has(text));
}

/** The usual digits and signs for letters. */
const emailOf: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/** The minimum length of a word that is looked up. Every pair of letters is on the list. */
const minWord = 4;

function spellingsOf(password: string): string[] {
  const trimmed = password.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  // A sign at the beginning may stand for a letter: `$unshine2026`.
  const plain = [trimmed, password.replace(/[^\p{L}]+$/u, "")].map(inLetters);
  const letters = password.replace(/[^\p{L}]/gu, "");
  const words = [trimmed, ...plain, letters].filter((word) => word.length >= minWord);
  const withoutSigns = password.replace(/^[^\p{L}\p{Nd}]+|[^\p{L}\p{Nd}]+$/gu, "");
  return [password, withoutSigns, ...words].flatMap((text) => [text, unitOf(text)]);
}

function inLetters(text: string): string {
  return [...text].map((character) => emailOf[character] ?? character).join("");
}

/** Returns the repeated unit of the text: `ab` for `abab`, and `abc` for `abc`. */
function unitOf(text: string): string {
  // The first position of a text in its own double is the length of its repeated unit.
  return text.slice(0, (text + text).indexOf(text, 1));
}
