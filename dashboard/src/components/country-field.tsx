import { useMemo } from "react";
import { type Choice, SelectField } from "./field.tsx";

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** Returns the browser's name of each two-letter country code. */
function countries(): Choice[] {
  const names = new Intl.DisplayNames(undefined, { type: "region", fallback: "none" });
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return codes
    .filter((code) => !notCountries.has(code))
    .flatMap((code): Choice[] => {
      const name = names.of(code);
      return name ? [[code, name]] : [];
    })
    .sort(([, one], [, other]) => one.localeCompare(other));
}

/** Codes that have a name but are not countries: unions, pseudo-locales and former countries. */
const notCountries = new Set(
  "AN BU CS DD DY EU EZ FX HV NH NT PC PU QO RH SU TP UN VD WK XA XB YD YU ZR ZZ".split(" "),
);

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
