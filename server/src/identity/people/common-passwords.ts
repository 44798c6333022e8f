import { readFile } from "node:fs/promises";

/** The URL of a list of almost 50,000 leaked passwords, the most common first, as collected by zxcvbn-ts. */
const listUrl = import.meta.resolve("@zxcvbn-ts/language-common/src/passwords.json");

let list: Promise<ReadonlySet<string>> | null = null;

/** Loads the list (4 MB) only when the first password is set. */
function readList(): Promise<ReadonlySet<string>> {
  list ??= readFile(new URL(listUrl), "utf8").then((text) => new Set(JSON.parse(text) as string[]));
  return list;
}

/**
 * Returns whether the password is on the list. Also recognizes a listed password that is repeated, surrounded by
 * digits and signs, or written with the usual substitutes for letters.
 */
export async function isOnList(password: string): Promise<boolean> {
  const known = await readList();
  return spellingsOf(password.toLowerCase()).some((text) => known.has(text));
}

/** The letters that digits and signs usually stand for. */
const letterOf: Readonly<Record<string, string>> = {
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

/** Words within a password are looked up only if they have at least this length. */
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
  return [...text].map((character) => letterOf[character] ?? character).join("");
}

/** Returns the repeated unit of the text: `ab` for `abab`, and `abc` for `abc`. */
function unitOf(text: string): string {
  // In two concatenated copies of the text, the first occurrence of the text after position 0 is at the length of its
  // repeated unit.
  return text.slice(0, (text + text).indexOf(text, 1));
}
