import type {
  CreateListEntry,
  ListAttribute,
  ListEntry,
  ListName,
} from "@florin/contract/list-entry.ts";
import { useState } from "react";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { isolateBidi } from "../../components/isolate-bidi.ts";
import { showToast } from "../../components/toast.tsx";

/** The attributes that a list entry can match, with an example of each. */
export const attributes: Readonly<
  Record<ListAttribute, readonly [label: string, example: string]>
> = {
  email: ["Email", "eve@example.com"],
  email_domain: ["Email domain", "example.com"],
  ip: ["IP address", "203.0.113.7"],
  ip_country: ["IP country", "DE"],
  card_country: ["Card country", "US"],
  card_fingerprint: ["Card fingerprint", "from a payment’s details"],
  customer_id: ["Customer", "cus_…"],
};

/** Adds an entry to the allow list or the block list. */
export function ListEntryDialog({ list, onClose }: { list: ListName; onClose: () => void }) {
  const [attribute, setAttribute] = useState<ListAttribute>("email");
  const add = useOperation<CreateListEntry, ListEntry>(
    (api, params, key) => api.post("/list_entries", params, key),
    {
      done: ({ value, list: target }) => {
        showToast(`${isolateBidi(value)} added to the ${target} list.`);
        onClose();
      },
    },
  );
  const send = (form: FormData) => {
    const description = textOf(form, "description");
    const until = textOf(form, "expires_at");
    void add.run({
      list: form.get("list") as ListName,
      attribute,
      value: textOf(form, "value") ?? "",
      ...(description && { description }),
      ...(until && { expires_at: Math.floor(new Date(`${until}T23:59:59`).getTime() / 1000) }),
    });
  };
  return (
    <Dialog open title="Add list entry" onClose={onClose}>
      <Form
        submit="Add"
        busy={add.pending}
        problem={add.problem}
        onSubmit={send}
        onCancel={onClose}
      >
        <SelectField
          name="list"
          label="List"
          defaultValue={list}
          choices={[
            ["block", "Block: always decline"],
            ["allow", "Allow: ignore all rules"],
          ]}
        />
        <SelectField
          name="attribute"
          label="Attribute"
          value={attribute}
          onChange={(event) => setAttribute(event.currentTarget.value as ListAttribute)}
          choices={Object.entries(attributes).map(([name, [label]]) => [name, label])}
        />
        <TextField
          name="value"
          label="Value"
          placeholder={attributes[attribute][1]}
          autoComplete="off"
          spellCheck={false}
        />
        <TextField name="expires_at" label="Expiry date (optional)" type="date" />
        <TextField name="description" label="Description (optional)" autoComplete="off" />
      </Form>
    </Dialog>
  );
}
