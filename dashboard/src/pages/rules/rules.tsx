import type { Rule } from "@florin/contract/rule.ts";
import { ListChecks } from "lucide-react";
import { useMay } from "../../api/signed-in-person.ts";
import { useList } from "../../api/use-list.ts";
import { useUrlDialog } from "../../api/use-url-dialog.ts";
import { Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { GivenText } from "../../components/given-text.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, ListTable } from "../../components/table.tsx";
import { RuleDialog } from "./rule-dialog.tsx";
import { RuleMenu } from "./rule-menu.tsx";

/** The merchant's rules for payments. */
export function RulesPage() {
  const list = useList<Rule>("/rules");
  const may = useMay()("decisions:write");
  const [dialog, setDialog] = useUrlDialog(["create"], () => may);
  const add = may && (
    <Button weight="primary" onClick={() => setDialog("create")}>
      Create rule
    </Button>
  );
  const columns: readonly Column<Rule>[] = [
    {
      title: "Condition",
      cell: ({ expression, description, disabled_reason }) => (
        <span className="grid gap-0.5">
          <code className="font-mono text-sm wrap-anywhere">{expression}</code>
          {description && (
            <GivenText text={description} className="text-sm wrap-anywhere text-ink-soft" />
          )}
          {disabled_reason && (
            <span className="text-sm text-warning">Disabled by the service. {disabled_reason}</span>
          )}
        </span>
      ),
    },
    { title: "Action", cell: ({ outcome }) => <Status status={outcome} /> },
    {
      title: "Status",
      from: "sm",
      below: "cell",
      cell: ({ status }) => (
        <Status status={status} tone={status === "enabled" ? "positive" : "neutral"} />
      ),
    },
    ...(may
      ? [
          {
            title: "",
            align: "end" as const,
            cell: (rule: Rule) => <RuleMenu rule={rule} />,
          },
        ]
      : []),
  ];
  return (
    <Page
      title="Rules"
      lead="Conditions and actions for payments. If several rules match, the order of precedence is approve, decline, review, challenge."
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
            <EmptyState icon={ListChecks} title="No rules yet" action={add}>
              Without rules, payments with elevated risk go to review, and payments with the highest
              risk are declined. Create a rule, such as{" "}
              <code className="font-mono text-sm">amount &gt; 50000</code>, and test it on past
              payments before you enable it.
            </EmptyState>
          }
        />
      </Panel>
      {dialog === "create" && <RuleDialog rule={null} onClose={() => setDialog(null)} />}
    </Page>
  );
}
