import { CountryField } from "../../components/country-field.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import type { StepProps } from "./step.ts";
import { useSection } from "./use-section.ts";

export function BankAccountStep({ application, onSaved }: StepProps) {
  const saved = application.sections.bank_account;
  const act = useSection("bank_account", onSaved);
  const submit = (form: FormData) =>
    void act.run({
      holder_name: textOf(form, "holder_name"),
      country: textOf(form, "country"),
      currency: textOf(form, "currency")?.toLowerCase(),
      account_number: textOf(form, "account_number"),
      routing_number: textOf(form, "routing_number"),
    });
  return (
    <Form submit="Save and go on" busy={act.pending} problem={act.problem} onSubmit={submit}>
      <TextField name="holder_name" label="Account holder" defaultValue={saved?.holder_name} />
      <div className="fields-abreast">
        <CountryField name="country" label="The bank's country" value={saved?.country} />
        <TextField
          name="currency"
          label="Currency"
          hint="Three letters, such as EUR."
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
            ? `Saved: the one that ends in ${saved.last4}. It is not shown again; type it once more to change anything here.`
            : "It is sealed, and only its last four characters are shown afterwards."
        }
      />
      <TextField
        name="routing_number"
        label="The bank's number"
        hint="The routing number or sort code. An IBAN needs none."
        autoComplete="off"
        defaultValue={saved?.routing_number ?? undefined}
      />
    </Form>
  );
}
