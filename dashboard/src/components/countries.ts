import type { SelectOption } from "./select-option.ts";

/** The countries in which merchants can be registered. */
const codes =
  "AE AR AT AU BE BG BR CA CH CL CO CY CZ DE DK EE ES FI FR GB GR HK HR HU IE IL IN IS IT JP KR LI LT LU LV MT MX MY NL NO NZ PE PL PT RO SE SG SI SK TH TR TW US UY ZA";

/** Returns the name of a country in the reader's language: `US` → `United States`. */
export function countryName(code: string): string {
  names ??= new Intl.DisplayNames(undefined, { type: "region" });
  return names.of(code) ?? code;
}

/** Created on first use, because creating it takes milliseconds on a phone. */
let names: Intl.DisplayNames | undefined;

/** Returns the countries, sorted by name in the reader's language. */
export function countries(): readonly SelectOption[] {
  const named = codes.split(" ").map((code): SelectOption => [code, countryName(code)]);
  return named.sort(([, a], [, b]) => a.localeCompare(b));
}

/** Returns the country of the browser's language setting. */
export function likelyCountry(): string {
  const region = new Intl.Locale(navigator.language).maximize().region ?? "";
  return codes.includes(region) ? region : "US";
}
