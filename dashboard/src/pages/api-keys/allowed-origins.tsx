import type { Account } from "@florin/contract/account.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { TextArea } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { Panel } from "../../components/panel.tsx";
import { showToast } from "../../components/toast.tsx";

/** The origins whose pages may embed the card form. A checkout session can override the list. */
export function AllowedOrigins() {
  const may = useMay();
  const { data: account } = useObject<Account>(may("account:write") ? "/account" : null);
  const change = useOperation<string[], Account>(
    (api, allowed_origins, key) => api.post("/account", { allowed_origins }, key),
    {
      done: ({ allowed_origins }) =>
        showToast(
          allowed_origins.length === 0 ? "Allowed origins cleared." : "Allowed origins saved.",
        ),
    },
  );
  if (!account) return null;
  const save = (form: FormData) =>
    void change.run(originsIn(textOf(form, "allowed_origins") ?? ""));
  return (
    <Panel title="Allowed origins">
      <Form
        submit="Save"
        weight="plain"
        busy={change.pending}
        problem={change.problem}
        onSubmit={save}
      >
        <TextArea
          name="allowed_origins"
          label="Origins, one per line"
          hint="Pages at these origins can embed the card form, unless a checkout session has its own allowed_origins. In test mode, pages on localhost are always allowed."
          placeholder="https://shop.example"
          defaultValue={account.allowed_origins.join("\n")}
          spellCheck={false}
          autoComplete="off"
        />
      </Form>
    </Panel>
  );
}

/** Splits pasted origins at spaces, line breaks and commas, and drops duplicates. */
function originsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}
