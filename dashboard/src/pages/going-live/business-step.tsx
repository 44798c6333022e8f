import { SelectField, TextField } from "../../components/field.tsx";
import { textOf } from "../../components/form.tsx";
import { AddressFields, addressIn } from "./address-fields.tsx";
import { SectionForm } from "./section-form.tsx";
import type { StepProps } from "./step-props.ts";

const structures = [
  ["company", "Company"],
  ["sole_proprietor", "Sole proprietor"],
  ["partnership", "Partnership"],
  ["non_profit", "Nonprofit organization"],
] as const;

export function BusinessStep({ application, onSaved }: StepProps) {
  const saved = application.sections.business;
  const contentOf = (form: FormData) => ({
    legal_name: textOf(form, "legal_name"),
    structure: textOf(form, "structure"),
    registration_number: textOf(form, "registration_number"),
    tax_id: textOf(form, "tax_id"),
    address: addressIn(form, "address"),
    phone: textOf(form, "phone"),
  });
  return (
    <SectionForm section="business" contentOf={contentOf} onSaved={onSaved}>
      <TextField
        name="legal_name"
        label="Legal name"
        hint="The registered name of the business. For a sole proprietor, your full name."
        defaultValue={saved?.legal_name}
      />
      <SelectField
        name="structure"
        label="Business structure"
        choices={structures}
        defaultValue={saved?.structure ?? "company"}
      />
      <div className="fields-abreast">
        <TextField
          name="registration_number"
          label="Registration number"
          hint="Not needed for a sole proprietor."
          defaultValue={saved?.registration_number}
        />
        <TextField name="tax_id" label="Tax ID" defaultValue={saved?.tax_id} />
      </div>
      <AddressFields name="address" value={saved?.address} />
      <TextField name="phone" label="Phone" type="tel" defaultValue={saved?.phone} />
    </SectionForm>
  );
}
