import type { RoutingRule, RoutingRules } from "@florin/contract/operator-routing.ts";
import { useAdminOperation } from "../../api/admin.ts";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { showToast } from "../../components/toast.tsx";
import { serviceLogHint } from "./reason-dialog.tsx";

/** Stores the draft as the next version of the account's rules. */
export function RoutingSaveDialog({
  stored: { account, version },
  draft,
  onClose,
}: {
  stored: RoutingRules;
  draft: { readonly rules: readonly RoutingRule[]; readonly cascade_declines: boolean };
  onClose: () => void;
}) {
  const operation = useAdminOperation<object>(`/accounts/${account}/routing_rules`, {
    method: "PUT",
    done() {
      showToast("Routing rules saved.");
      onClose();
    },
  });
  return (
    <Dialog
      open
      title="Save routing rules"
      lead="New live payments of the account use the rules within about a second."
      onClose={onClose}
    >
      <Form
        submit="Save"
        busy={operation.pending}
        problem={operation.problem}
        onSubmit={(form) =>
          void operation.run({ version, ...draft, reason: textOf(form, "reason") })
        }
        onCancel={onClose}
      >
        <TextArea name="reason" label="Reason" hint={serviceLogHint} />
      </Form>
    </Dialog>
  );
}
