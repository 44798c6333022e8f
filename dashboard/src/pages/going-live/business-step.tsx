import { SelectField, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { AddressFields, addressIn } from "./address-fields.tsx";
import type { StepProps } from "./step.ts";
import { useSection } from "./use-section.ts";

const structures = [
  ["company", "Company"],
  ["sole_proprietor", "I trade alone"],
  ["partnership", "Partnership"],
  ["non_profit", "Non-profit organisation"],
] as const;

export function BusinessStep({ application, onSaved }: StepProps) {
  const saved = application.sections.business;
  const act = useSection("business", onSaved);
  const submit = (form: FormData) =>
    void act.run({
      legal_name: textOf(form, "legal_name"),
      structure: textOf(form, "structure"),
      registration_number: textOf(form, "registration_number"),
      tax_id: textOf(form, "tax_id"),
      address: addressIn(form, "address"),
      phone: textOf(form, "phone"),
    });
  return (
    <Form submit="Save and go on" busy={act.pending} problem={act.problem} onSubmit={submit}>
      <TextField
        name="legal_name"
        label="Legal name"
        hint="As the register has it; your own name, if you trade alone."
        defaultValue={saved?.legal_name}
      />
      <SelectField
        name="structure"
        label="Legal form"
        choices={structures}
        defaultValue={saved?.structure ?? "company"}
      />
      <div className="fields-abreast">
        <TextField
          name="registration_number"
          label="Number in the register"
          hint="Not needed if you trade alone."
          defaultValue={saved?.registration_number}
        />
        <TextField name="tax_id" label="Tax number" defaultValue={saved?.tax_id} />
      </div>
      <AddressFields name="address" value={saved?.address} />
      <TextField name="phone" label="Telephone" type="tel" defaultValue={saved?.phone} />
    </Form>
  );
}
