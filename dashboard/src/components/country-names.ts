import type { SelectOption } from "./select-option.ts";

/** Returns the name of a country in the reader's language: `US` → `United States`. */
export function countryName(code: string): string {
  names ??= new Intl.DisplayNames(undefined, { type: "region" });
  return names.of(code) ?? code;
}

/** Created on first use, because creating it takes milliseconds on a phone. */
let names: Intl.DisplayNames | undefined;

/** Returns the countries as the options of a field, sorted by name in the reader's language. */
export function countryOptions(codes: readonly string[]): readonly SelectOption[] {
  const named = codes.map((code): SelectOption => [code, countryName(code)]);
  return named.sort(([, a], [, b]) => a.localeCompare(b));
}
