import type { Account } from "@florin/contract/account.ts";
import { useState } from "react";
import { changedFields } from "../../api/changed-fields.ts";
import { SelectField, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { Panel } from "../../components/panel.tsx";
import { useProfileChange } from "./use-profile-change.ts";

type Props = { readonly account: Account; readonly unavailable: string | null };

export function BusinessDetails({ account, unavailable }: Props) {
  const change = useProfileChange("Business details saved.");
  // `shown` contains the values of the fields. `saved` contains only the values that this form has saved. A field with
  // a saved value keeps this value even if another person changes it later.
  const [{ shown, saved }, setShown] = useState({ shown: account, saved: {} });
  const save = async (form: FormData) => {
    const entered = {
      name: textOf(form, "name") ?? "",
      support_email: textOf(form, "support_email") ?? null,
      support_phone: textOf(form, "support_phone") ?? null,
      statement_descriptor: textOf(form, "statement_descriptor") ?? null,
      time_zone: textOf(form, "time_zone") ?? null,
    };
    const changed = changedFields(entered, shown);
    const current = await change.run(changed);
    if (!current) return;
    const own = { ...saved, ...changed };
    setShown({ shown: { ...current, ...own }, saved: own });
  };
  return (
    <Panel title="Business details">
      <Form
        submit="Save"
        busy={change.pending}
        unavailable={unavailable}
        problem={change.problem}
        onSubmit={(form) => void save(form)}
      >
        <fieldset
          disabled={unavailable !== null}
          className="grid max-w-3xl items-start gap-5 sm:grid-cols-2"
        >
          <legend className="sr-only">Business details</legend>
          <TextField
            name="name"
            label="Business name"
            hint="Shown on the payment page."
            defaultValue={shown.name}
            maxLength={100}
            autoComplete="organization"
          />
          <TextField
            name="statement_descriptor"
            label="Statement descriptor"
            hint="Shown on card statements: 5 to 22 characters, with at least one letter."
            defaultValue={shown.statement_descriptor ?? ""}
            maxLength={22}
            spellCheck={false}
            autoComplete="off"
          />
          <TextField
            name="support_email"
            label="Support email"
            hint="Shown on the payment page and in receipts. Replies to receipts go to this address."
            type="email"
            defaultValue={shown.support_email ?? ""}
            autoComplete="off"
          />
          <TextField
            name="support_phone"
            label="Support phone"
            hint="With country code, such as +1 555 010 0199."
            type="tel"
            defaultValue={shown.support_phone ?? ""}
            autoComplete="off"
          />
          <SelectField
            name="time_zone"
            label="Time zone"
            hint="The dashboard shows times and days in this time zone."
            defaultValue={shown.time_zone ?? ""}
            choices={timeZoneChoices(shown.time_zone)}
          />
        </fieldset>
      </Form>
    </Panel>
  );
}

/**
 * Returns the time zones that the browser supports. The account's current time zone is included even if the browser
 * does not list it.
 */
function timeZoneChoices(current: string | null): (readonly [string, string])[] {
  const names = new Set(["UTC", ...Intl.supportedValuesOf("timeZone")]);
  if (current) names.add(current);
  const sorted = [...names].toSorted();
  return [
    ["", "Each person’s browser"],
    ...sorted.map((name) => [name, name.replaceAll("_", " ")] as const),
  ];
}
