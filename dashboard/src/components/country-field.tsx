import { countryCodes } from "@florin/contract/country-codes.ts";
import { useMemo } from "react";
import { SelectField } from "./field.tsx";
import type { SelectOption } from "./select-option.ts";

/** Returns the countries with their names in the reader's language, sorted by name. */
function countries(): SelectOption[] {
  const names = new Intl.DisplayNames(undefined, { type: "region" });
  return countryCodes
    .map((code): SelectOption => [code, names.of(code) ?? code])
    .sort(([, one], [, other]) => one.localeCompare(other));
}

type Props = {
  readonly name: string;
  readonly label?: string;
  readonly value?: string | undefined;
  readonly autoComplete?: string;
};

/** A field for a country, chosen by name and sent as its code. */
export function CountryField({ name, label = "Country", value, autoComplete }: Props) {
  const choices = useMemo(() => [["", "Select…"] as const, ...countries()], []);
  return (
    <SelectField
      name={name}
      label={label}
      choices={choices}
      defaultValue={value ?? ""}
      {...(autoComplete && { autoComplete })}
    />
  );
}
