import type { Rule } from "@florin/contract/rule.ts";
import { ListChecks } from "lucide-react";
import { useState } from "react";
import { useMay } from "../../api/me.ts";
import { useAct } from "../../api/use-act.ts";
import { useList } from "../../api/use-list.ts";
import { Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { say } from "../../components/toast.tsx";
import { ConfirmDialog } from "../../forms/confirm-dialog.tsx";
import { RuleDialog } from "../../forms/rule-dialog.tsx";

/** What is open: nothing, a new rule, one to edit, or one to delete. */
type Open =
  | { readonly kind: "new" }
  | { readonly kind: "edit" | "delete"; readonly rule: Rule }
  | null;

/** What the merchant wants done with payments of a kind. */
export function RulesPage() {
  const list = useList<Rule>("/rules");
  const [open, setOpen] = useState<Open>(null);
  const may = useMay()("decisions:write");
  const close = () => setOpen(null);
  const add = may && (
    <Button weight="primary" onClick={() => setOpen({ kind: "new" })}>
      New rule
    </Button>
  );
  const columns: readonly Column<Rule>[] = [
    {
      title: "Condition",
      cell: ({ expression, description }) => (
        <span className="grid gap-0.5">
          <code className="font-mono text-sm wrap-anywhere">{expression}</code>
          {description && <span className="text-sm text-ink-soft">{description}</span>}
        </span>
      ),
    },
    { title: "Then", cell: ({ outcome }) => <Status status={outcome} /> },
    {
      title: "Status",
      from: "sm",
      cell: ({ status }) => (
        <Status
          status={status === "enabled" ? "on" : "off"}
          tone={status === "enabled" ? "positive" : "neutral"}
        />
      ),
    },
    ...(may
      ? [
          {
            title: "",
            align: "end" as const,
            cell: (rule: Rule) => (
              <span className="inline-flex flex-wrap justify-end gap-1">
                <Switch rule={rule} />
                <Button small weight="quiet" onClick={() => setOpen({ kind: "edit", rule })}>
                  Edit
                </Button>
                <Button small weight="quiet" onClick={() => setOpen({ kind: "delete", rule })}>
                  Delete
                </Button>
              </span>
            ),
          },
        ]
      : []),
  ];
  return (
    <Page
      title="Rules"
      lead="What you want done with payments of a kind. Approve outweighs the others, then decline, review and challenge count."
      actions={
        <>
          <ButtonLink to="/lists">Lists</ButtonLink>
          {add}
        </>
      }
    >
      <Panel flush>
        <ListTable
          label="Rules"
          list={list}
          columns={columns}
          empty={
            <Empty icon={ListChecks} title="No rules yet" action={add}>
              Without rules, payments of elevated risk go to review. Write one, such as{" "}
              <code className="font-mono text-sm">amount &gt; 50000</code>, and see what it would
              have done with past payments before you switch it on.
            </Empty>
          }
        />
      </Panel>
      {open?.kind === "new" && <RuleDialog rule={null} onClose={close} />}
      {open?.kind === "edit" && <RuleDialog rule={open.rule} onClose={close} />}
      {open?.kind === "delete" && <DeleteRule rule={open.rule} onClose={close} />}
    </Page>
  );
}

function Switch({ rule: { id, status } }: { rule: Rule }) {
  const next = status === "enabled" ? "disabled" : "enabled";
  const act = useAct<void, Rule>((api, _, key) => api.post(`/rules/${id}`, { status: next }, key), {
    done: () => say(next === "enabled" ? "The rule counts from now on." : "The rule is off."),
  });
  return (
    <Button small weight="quiet" busy={act.pending} onClick={() => void act.run()}>
      {next === "enabled" ? "Switch on" : "Switch off"}
    </Button>
  );
}

function DeleteRule({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const act = useAct<void, unknown>((api) => api.delete(`/rules/${rule.id}`), {
    done: () => {
      say("The rule is gone.");
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      title="Delete this rule"
      lead={<code className="font-mono text-sm wrap-anywhere">{rule.expression}</code>}
      submit="Delete"
      act={act}
      onClose={onClose}
    />
  );
}
