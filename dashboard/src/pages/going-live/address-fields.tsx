import type { BusinessSection } from "@florin/contract/application.ts";
import { CountryField } from "../../components/country-field.tsx";
import { TextField } from "../../components/field.tsx";
import { textOf } from "../../components/form.tsx";

type Address = BusinessSection["address"];

/** The fields of a postal address. `name` is the parameter path of the address in the section. */
export function AddressFields({ name, value }: { name: string; value: Address | undefined }) {
  return (
    <>
      <TextField name={`${name}.line1`} label="Street address" defaultValue={value?.line1} />
      <TextField
        name={`${name}.line2`}
        label="Apartment, suite or floor (optional)"
        defaultValue={value?.line2}
      />
      <div className="fields-abreast">
        <TextField
          name={`${name}.postal_code`}
          label="Postal code"
          defaultValue={value?.postal_code}
        />
        <TextField name={`${name}.city`} label="City" defaultValue={value?.city} />
      </div>
      <div className="fields-abreast">
        <TextField
          name={`${name}.state`}
          label="State or province (optional)"
          defaultValue={value?.state}
        />
        <CountryField name={`${name}.country`} value={value?.country} />
      </div>
    </>
  );
}

/** Returns the address. Empty fields are omitted, so that the service reports them as missing. */
export function addressIn(form: FormData, name: string) {
  return {
    line1: textOf(form, `${name}.line1`),
    line2: textOf(form, `${name}.line2`),
    city: textOf(form, `${name}.city`),
    state: textOf(form, `${name}.state`),
    postal_code: textOf(form, `${name}.postal_code`),
    country: textOf(form, `${name}.country`),
  };
}
