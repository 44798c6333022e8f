import { useMemo } from "react";
import { type Choice, SelectField } from "./field.tsx";

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** What the browser calls a country, for each code of two letters that is one. */
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

/** Codes that name something, but nowhere anybody lives: unions, pseudo-locales, and countries that are gone. */
const notCountries = new Set(
  "AN BU CS DD DY EU EZ FX HV NH NT PC PU QO RH SU TP UN VD WK XA XB YD YU ZR ZZ".split(" "),
);

type Props = {
  readonly name: string;
  readonly label?: string;
  readonly value?: string | undefined;
  readonly autoComplete?: string;
};

/** A country, chosen by its name and sent by its code. */
export function CountryField({ name, label = "Country", value, autoComplete }: Props) {
  const choices = useMemo(() => [["", "Choose…"] as const, ...countries()], []);
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
