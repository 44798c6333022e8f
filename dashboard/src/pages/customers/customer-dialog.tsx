import type { Customer } from "@florin/contract/customer.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Dialog } from "../../components/dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";

type CustomerParams = { readonly email?: string | null; readonly name?: string | null };

/** Creates a customer or changes its name and email. */
export function CustomerDialog({
  customer,
  open,
  onClose,
}: {
  customer: Customer | null;
  open: boolean;
  onClose: () => void;
}) {
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
  const send = (form: FormData) => {
    const [email, name] = [textOf(form, "email"), textOf(form, "name")];
    // An update sends null for an empty field, to clear it. A new customer omits empty fields.
    const params = customer
      ? { email: email ?? null, name: name ?? null }
      : { ...(email && { email }), ...(name && { name }) };
    void keep.run(params);
  };
  return (
    <Dialog open={open} title={customer ? "Edit customer" : "Create customer"} onClose={onClose}>
      <Form
        submit={customer ? "Save" : "Create"}
        busy={keep.pending}
        problem={keep.problem}
        onSubmit={send}
        onCancel={onClose}
      >
        <TextField
          name="name"
          label="Name"
          defaultValue={customer?.name ?? ""}
          autoComplete="off"
        />
        <TextField
          name="email"
          label="Email"
          type="email"
          defaultValue={customer?.email ?? ""}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  );
}
