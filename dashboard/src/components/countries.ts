import type { Choice } from "./field.tsx";

/** The countries in which merchants can be registered. */
const codes =
  "AE AR AT AU BE BG BR CA CH CL CO CY CZ DE DK EE ES FI FR GB GR HK HR HU IE IL IN IS IT JP KR LI LT LU LV MT MX MY NL NO NZ PE PL PT RO SE SG SI SK TH TR TW US UY ZA";

/** Returns the countries, sorted by name in the reader's language. */
export function countries(): readonly Choice[] {
  const names = new Intl.DisplayNames(undefined, { type: "region" });
  const named = codes.split(" ").map((code): Choice => [code, names.of(code) ?? code]);
  return named.sort(([, a], [, b]) => a.localeCompare(b));
}

/** Returns the country of the browser's language setting. */
export function likelyCountry(): string {
  const region = new Intl.Locale(navigator.language).maximize().region ?? "";
  return codes.includes(region) ? region : "US";
}
