import type { Language } from "./choose-locale.ts";
import type { Words } from "./words.ts";

/**
 * The dictionary file of each language, in this script's directory. The build defines this constant with the hashed
 * names.
 */
declare const wordFiles: Readonly<Record<Language, string>>;

let failures = 0;

/** Loads one language's dictionary, with one retry. Returns null if both attempts fail. */
export async function loadWords(language: Language): Promise<Words | null> {
  return (await importWords(language)) ?? importWords(language);
}

async function importWords(language: Language): Promise<Words | null> {
  const address = new URL(wordFiles[language], import.meta.url);
  // Adds a query string to force a new request, because browsers may cache a failed module load.
  if (failures > 0) address.search = String(failures);
  try {
    const dictionary: { words: Words } = await import(address.href);
    return dictionary.words;
  } catch {
    failures += 1;
    return null;
  }
}
