import type { Language } from "./choose-locale.ts";
import type { Words } from "./words.ts";

/** The file of each language, beside this script; the build writes the names in, for each carries a hash. */
declare const wordFiles: Readonly<Record<Language, string>>;

/** Each language is a file of its own, so that nobody loads another's. */
export async function loadWords(language: Language): Promise<Words> {
  const address = new URL(wordFiles[language], import.meta.url).href;
  const dictionary: { words: Words } = await import(address);
  return dictionary.words;
}
