import { CountryField } from "../../components/country-field.tsx";
import { TextField } from "../../components/field.tsx";
import { textOf } from "../../components/form.tsx";
import { SectionForm } from "./section-form.tsx";
import type { StepProps } from "./step-props.ts";

export function BankAccountStep({ application, onSaved }: StepProps) {
  const saved = application.sections.bank_account;
  const contentOf = (form: FormData) => ({
    holder_name: textOf(form, "holder_name"),
    country: textOf(form, "country"),
    currency: textOf(form, "currency")?.toLowerCase(),
    account_number: textOf(form, "account_number"),
    routing_number: textOf(form, "routing_number"),
  });
  return (
    <SectionForm section="bank_account" contentOf={contentOf} onSaved={onSaved}>
      <TextField name="holder_name" label="Account holder" defaultValue={saved?.holder_name} />
      <div className="fields-abreast">
        <CountryField name="country" label="Bank country" value={saved?.country} />
        <TextField
          name="currency"
          label="Currency"
          hint="Three-letter code, such as EUR."
          maxLength={3}
          defaultValue={saved?.currency.toUpperCase()}
        />
      </div>
      <TextField
        name="account_number"
        label="IBAN or account number"
        autoComplete="off"
        hint={
          saved
            ? `Saved: account ending in ${saved.last4}. Enter the full number again to change this section.`
            : "The number is stored encrypted. Only its last four characters are shown afterwards."
        }
      />
      <TextField
        name="routing_number"
        label="Routing number or sort code"
        hint="Not needed with an IBAN."
        autoComplete="off"
        defaultValue={saved?.routing_number ?? undefined}
      />
    </SectionForm>
  );
}
