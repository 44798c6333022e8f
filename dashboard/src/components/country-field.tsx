import { countryCodes } from "@florin/contract/country-codes.ts";
import { useMemo } from "react";
import { countryOptions } from "./country-names.ts";
import { SelectField } from "./field.tsx";

type Props = {
  readonly name: string;
  readonly label?: string;
  readonly value?: string | undefined;
  readonly autoComplete?: string;
};

/** A field for a country, chosen by name and sent as its code. */
export function CountryField({ name, label = "Country", value, autoComplete }: Props) {
  const choices = useMemo(() => [["", "Select…"] as const, ...countryOptions(countryCodes)], []);
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
