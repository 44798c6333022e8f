/** The languages of the card form. Each has a dictionary in this directory. */
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

/** The language of the translations, and the BCP 47 tag for formatting amounts and lists. */
export type Locale = { readonly language: Language; readonly tag: string };

/** Returns the first preferred BCP 47 tag whose language has a dictionary, or else English. */
export function chooseLocale(preferred: readonly (string | null | undefined)[]): Locale {
  for (const tag of preferred) {
    // Ignore tags that are not well-formed, because the tag is written into the HTML.
    const language = tag && wholeTag.test(tag) && languageOf(tag);
    if (language) return { language, tag };
  }
  return { language: "en", tag: "en" };
}

const wholeTag = /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i;

function languageOf(tag: string): Language | undefined {
  const [primary = ""] = tag.toLowerCase().split("-");
  // Some systems still use the old code `iw` for Hebrew.
  const name = primary === "iw" ? "he" : primary;
  return languages.find((language) => language === name);
}

export function directionOf(language: Language): "ltr" | "rtl" {
  return language === "ar" || language === "he" ? "rtl" : "ltr";
}

/** Returns the tags of an Accept-Language header (RFC 9110 §12.5.4) in order of preference. */
export function acceptedTags(header: string | undefined): string[] {
  return (
    (header ?? "")
      .split(",")
      // The white space around a part is removed first. A pattern that matched it too would take quadratic time,
      // because two repetitions could match the same characters.
      .map((part) =>
        /^([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})(?:\s*;\s*q=([\d.]+))?$/.exec(part.trim()),
      )
      .filter((match) => match !== null)
      .map(([, tag, quality]) => ({ tag: tag as string, quality: Number(quality ?? 1) }))
      .filter(({ quality }) => quality > 0)
      .sort((one, other) => other.quality - one.quality)
      .map(({ tag }) => tag)
  );
}
