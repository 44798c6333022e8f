import { words as ar } from "../frame/locales/ar.ts";
import type { Language } from "../frame/locales/choose-locale.ts";
import { words as de } from "../frame/locales/de.ts";
import { words as en } from "../frame/locales/en.ts";
import { words as es } from "../frame/locales/es.ts";
import { words as fr } from "../frame/locales/fr.ts";
import { words as he } from "../frame/locales/he.ts";
import { words as it } from "../frame/locales/it.ts";
import { words as ja } from "../frame/locales/ja.ts";
import { words as nl } from "../frame/locales/nl.ts";
import { words as pl } from "../frame/locales/pl.ts";
import { words as pt } from "../frame/locales/pt.ts";
import type { Words } from "../frame/locales/words.ts";
import { words as zh } from "../frame/locales/zh.ts";

/** The texts in all languages. The server needs them to render the challenge document in the requested language. */
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
