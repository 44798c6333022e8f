import type { PeopleSection } from "@florin/contract/application.ts";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { CheckField, TextField } from "../../components/field.tsx";
import { textOf } from "../../components/form.tsx";
import { AddressFields, addressIn } from "./address-fields.tsx";
import { SectionForm } from "./section-form.tsx";
import type { StepProps } from "./step-props.ts";

type Owner = PeopleSection["owners"][number];
const maxPeople = 10;

export function PeopleStep({ application, editable, onSaved }: StepProps) {
  const saved = application.sections.people?.owners ?? [];
  // Gives each person a stable key, so that typed input stays in place when other people are added or removed.
  const [people, setPeople] = useState(() =>
    (saved.length > 0 ? saved : [null]).map((owner, key) => ({ key, owner })),
  );
  const contentOf = (form: FormData) => ({
    owners: people.map((_, index) => ownerIn(form, `owners[${index}]`)),
  });
  return (
    <SectionForm section="people" contentOf={contentOf} onSaved={onSaved}>
      <p className="text-ink-soft">
        Add the legal representative of the business, and everyone who owns 25% or more of it.
      </p>
      {people.map(({ key, owner }, index) => (
        <fieldset key={key} className="grid gap-5 rounded-md border border-line p-4">
          <legend className="px-1 font-medium">Person {index + 1}</legend>
          <OwnerFields name={`owners[${index}]`} owner={owner} first={index === 0} />
          {people.length > 1 && editable && (
            <p>
              <Button
                small
                weight="quiet"
                onClick={() => setPeople(people.filter((person) => person.key !== key))}
              >
                Remove person {index + 1}
              </Button>
            </p>
          )}
        </fieldset>
      ))}
      {people.length < maxPeople && editable && (
        <p>
          <Button
            small
            onClick={() =>
              setPeople([
                ...people,
                { key: Math.max(...people.map(({ key }) => key)) + 1, owner: null },
              ])
            }
          >
            Add person
          </Button>
        </p>
      )}
    </SectionForm>
  );
}

function OwnerFields({
  name,
  owner,
  first,
}: {
  name: string;
  owner: Owner | null;
  first: boolean;
}) {
  return (
    <>
      <div className="fields-abreast">
        <TextField
          name={`${name}.first_name`}
          label="First name"
          defaultValue={owner?.first_name}
        />
        <TextField name={`${name}.last_name`} label="Last name" defaultValue={owner?.last_name} />
      </div>
      <div className="fields-abreast">
        <TextField name={`${name}.email`} label="Email" type="email" defaultValue={owner?.email} />
        <TextField
          name={`${name}.date_of_birth`}
          label="Date of birth"
          type="date"
          defaultValue={owner?.date_of_birth}
        />
      </div>
      <AddressFields name={`${name}.address`} value={owner?.address} />
      <TextField
        name={`${name}.ownership_percent`}
        label="Ownership in percent"
        inputMode="numeric"
        defaultValue={owner?.ownership_percent ?? (first ? 100 : undefined)}
      />
      <CheckField
        name={`${name}.representative`}
        label="Legal representative"
        hint="This person is authorized to sign for the business. Select exactly one person."
        defaultChecked={owner?.representative ?? first}
      />
    </>
  );
}

function ownerIn(form: FormData, name: string) {
  const percent = textOf(form, `${name}.ownership_percent`);
  return {
    first_name: textOf(form, `${name}.first_name`),
    last_name: textOf(form, `${name}.last_name`),
    email: textOf(form, `${name}.email`),
    date_of_birth: textOf(form, `${name}.date_of_birth`),
    address: addressIn(form, `${name}.address`),
    representative: form.has(`${name}.representative`),
    // Text that is not a number is sent as typed, so that the service rejects it.
    ownership_percent: percent && /^\d+$/.test(percent) ? Number(percent) : percent,
  };
}
