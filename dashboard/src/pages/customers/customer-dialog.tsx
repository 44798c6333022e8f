import type { Customer } from "@florin/contract/customer.ts";
import { useState } from "react";
import { changedFields } from "../../api/changed-fields.ts";
import { type Operation, useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";

type CustomerParams = { readonly email?: string | null; readonly name?: string | null };

type Props = {
  /** The customer to edit. Null for a new customer. */
  readonly customer: Customer | null;
  readonly onClose: () => void;
};

/** Creates a customer or changes its name and email. */
export function CustomerDialog({ customer, open, onClose }: Props & { readonly open: boolean }) {
  const path = customer ? `/customers/${customer.id}` : "/customers";
  const keep = useOperation<CustomerParams, Customer>(
    (api, params, key) => api.post(path, params, key),
    {
      done: () => {
        showToast(customer ? "Customer updated." : "Customer created.");
        onClose();
      },
    },
  );
  return (
    <Dialog open={open} title={customer ? "Edit customer" : "Create customer"} onClose={onClose}>
      <CustomerForm {...{ customer, keep, onClose }} />
    </Dialog>
  );
}

function CustomerForm({
  customer,
  keep,
  onClose,
}: Props & { readonly keep: Operation<CustomerParams, Customer> }) {
  // The customer when the dialog was opened.
  const [shown] = useState(customer);
  const send = (form: FormData) => {
    const [email, name] = [textOf(form, "email"), textOf(form, "name")];
    // An update sends null for an empty field, to clear it. A new customer omits empty fields.
    const params = shown
      ? changedFields({ email: email ?? null, name: name ?? null }, shown)
      : { ...(email && { email }), ...(name && { name }) };
    void keep.run(params);
  };
  return (
    <Form
      submit={shown ? "Save" : "Create"}
      busy={keep.pending}
      problem={keep.problem}
      onSubmit={send}
      onCancel={onClose}
    >
      <TextField name="name" label="Name" defaultValue={shown?.name ?? ""} autoComplete="off" />
      <TextField
        name="email"
        label="Email"
        type="email"
        defaultValue={shown?.email ?? ""}
        autoComplete="off"
      />
    </Form>
  );
}
