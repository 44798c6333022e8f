/** The languages that the card form speaks: one dictionary each, beside this file. */
export const languages = [
  "ar",
  "de",
  "en",
  "es",
  "fr",
  "he",
  "it",
  "ja",
  "nl",
  "pl",
  "pt",
  "zh",
] as const;
export type Language = (typeof languages)[number];

/** How the form speaks: which dictionary, and the tag by which amounts and lists are written. */
export type Locale = { readonly language: Language; readonly tag: string };

/** The first of the wanted tags (BCP 47) that we speak; English, when we speak none. */
export function chooseLocale(wanted: readonly (string | null | undefined)[]): Locale {
  for (const tag of wanted) {
    // It is written into a document: what is not a tag, whoever sent it, is nobody's language.
    const language = tag && wholeTag.test(tag) && languageOf(tag);
    if (language) return { language, tag };
  }
  return { language: "en", tag: "en" };
}

const wholeTag = /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i;

function languageOf(tag: string): Language | undefined {
  const [primary = ""] = tag.toLowerCase().split("-");
  // `iw` is what some systems still write for Hebrew.
  const name = primary === "iw" ? "he" : primary;
  return languages.find((language) => language === name);
}

export function directionOf(language: Language): "ltr" | "rtl" {
  return language === "ar" || language === "he" ? "rtl" : "ltr";
}

/** The tags of an Accept-Language header (RFC 9110 §12.5.4), most wanted first. */
export function acceptedTags(header: string | undefined): string[] {
  return (header ?? "")
    .split(",")
    .map((part) =>
      /^\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})\s*(?:;\s*q=([\d.]+))?\s*$/.exec(part),
    )
    .filter((match) => match !== null)
    .map(([, tag, quality]) => ({ tag: tag as string, quality: Number(quality ?? 1) }))
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}
