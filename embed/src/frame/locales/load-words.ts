import type { Language } from "./choose-locale.ts";
import type { Words } from "./words.ts";

/** The file of each language, beside this script; the build writes the names in, for each carries a hash. */
declare const wordFiles: Readonly<Record<Language, string>>;

let failures = 0;

/** Each language is a file of its own, so that nobody loads another's. Tried twice; null when it cannot be had. */
export async function loadWords(language: Language): Promise<Words | null> {
  return (await importWords(language)) ?? importWords(language);
}

async function importWords(language: Language): Promise<Words | null> {
  const address = new URL(wordFiles[language], import.meta.url);
  // A browser may remember that a module could not be had. Under another query it is another module.
  if (failures > 0) address.search = String(failures);
  try {
    const dictionary: { words: Words } = await import(address.href);
    return dictionary.words;
  } catch {
    failures += 1;
    return null;
  }
}
