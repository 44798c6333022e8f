import { words as ar } from "./ar.ts";
import type { Language } from "./choose-locale.ts";
import { words as de } from "./de.ts";
import { words as en } from "./en.ts";
import { words as es } from "./es.ts";
import { words as fr } from "./fr.ts";
import { words as he } from "./he.ts";
import { words as it } from "./it.ts";
import { words as ja } from "./ja.ts";
import { words as nl } from "./nl.ts";
import { words as pl } from "./pl.ts";
import { words as pt } from "./pt.ts";
import type { Words } from "./words.ts";
import { words as zh } from "./zh.ts";

/** The texts in all languages. The server needs them to render documents in the requested language. */
export const dictionaries: Readonly<Record<Language, Words>> = {
  ar,
  de,
  en,
  es,
  fr,
  he,
  it,
  ja,
  nl,
  pl,
  pt,
  zh,
};
