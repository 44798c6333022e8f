import { TextField } from "../../components/field.tsx";
import { textOf } from "../../components/form.tsx";
import { SectionForm } from "./section-form.tsx";
import type { StepProps } from "./step-props.ts";

const pages = [
  ["url", "Website URL", "https://shop.example.com"],
  ["terms_url", "Terms and conditions", "https://shop.example.com/terms"],
  ["privacy_url", "Privacy policy", "https://shop.example.com/privacy"],
  ["refund_policy_url", "Refund policy", "https://shop.example.com/returns"],
] as const;

export function WebsiteStep({ application, onSaved }: StepProps) {
  const saved = application.sections.website;
  const contentOf = (form: FormData) => ({
    ...Object.fromEntries(pages.map(([name]) => [name, textOf(form, name)])),
    support_email: textOf(form, "support_email"),
    support_phone: textOf(form, "support_phone"),
  });
  return (
    <SectionForm section="website" contentOf={contentOf} onSaved={onSaved}>
      <p className="text-ink-soft">
        Card networks require a website with prices, terms, a refund policy and contact details.
        Each page is reviewed.
      </p>
      {pages.map(([name, label, placeholder]) => (
        <TextField
          key={name}
          name={name}
          label={label}
          type="url"
          placeholder={placeholder}
          defaultValue={saved?.[name]}
        />
      ))}
      <div className="fields-abreast">
        <TextField
          name="support_email"
          label="Support email"
          type="email"
          defaultValue={saved?.support_email}
        />
        <TextField
          name="support_phone"
          label="Support phone (optional)"
          type="tel"
          defaultValue={saved?.support_phone}
        />
      </div>
    </SectionForm>
  );
}
