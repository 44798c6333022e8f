import type { RoutingRule, RoutingRules } from "@florin/contract/operator-routing.ts";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAdminQuery } from "../../api/admin.ts";
import { Button } from "../../components/button.tsx";
import { CheckField } from "../../components/field.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { RoutingRuleDialog } from "./routing-rule-dialog.tsx";
import { RoutingRuleList } from "./routing-rule-list.tsx";
import { RoutingSaveDialog } from "./routing-save-dialog.tsx";
import { RoutingSimulator } from "./routing-simulator.tsx";
import { type Target, useRoutingTargets } from "./use-routing-targets.ts";

/** The routing rules of an account. Changes are a draft, which can be simulated, until the operator saves them. */
export function RoutingPage() {
  const { merchant } = useParams({ strict: false }) as { merchant: string };
  const { data, error } = useAdminQuery<RoutingRules>(`/accounts/${merchant}/routing_rules`);
  const targets = useRoutingTargets(merchant);
  const problem = error ?? targets.error;
  return (
    <Page
      title="Routing rules"
      back={{ to: `/operator/accounts/${merchant}`, label: "Account" }}
      lead="Florin sends a live payment over the first connection that accepts it: first those of each matching rule, in the order of the rules, then the other assignments in order of priority."
    >
      {problem && <LoadError problem={problem} />}
      {(!data || !targets.data) && !problem && <Skeleton />}
      {data && targets.data && (
        // The key discards the draft when a new version of the rules is stored, so that the next draft starts with that
        // version.
        <RoutingDraft key={data.version} stored={data} targets={targets.data} />
      )}
    </Page>
  );
}

function RoutingDraft({ stored, targets }: { stored: RoutingRules; targets: readonly Target[] }) {
  const [rules, setRules] = useState<readonly RoutingRule[]>(stored.rules);
  /** The index of the rule that is edited. The index after the last rule stands for a new rule. */
  const [editing, setEditing] = useState<number | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const [cascades, setCascades] = useState(stored.cascade_declines);
  const isChanged =
    cascades !== stored.cascade_declines || JSON.stringify(rules) !== JSON.stringify(stored.rules);
  const discard = () => {
    setRules(stored.rules);
    setCascades(stored.cascade_declines);
  };
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="grid gap-6">
        {isChanged && (
          <Notice
            tone="warning"
            action={
              <span className="flex gap-2">
                <Button small onClick={discard}>
                  Discard
                </Button>
                <Button small onClick={() => setIsSaving(true)}>
                  Save rules
                </Button>
              </span>
            }
          >
            The rules have unsaved changes.
          </Notice>
        )}
        <Panel
          title="Rules"
          flush
          actions={
            <Button
              small
              unavailable={
                targets.length === 0 ? "Assign the account to a connection first." : null
              }
              onClick={() => setEditing(rules.length)}
            >
              Add rule
            </Button>
          }
        >
          <RoutingRuleList
            rules={rules}
            targets={targets}
            onEdit={setEditing}
            onChange={setRules}
          />
        </Panel>
        <Panel title="Declined payments">
          <CheckField
            name="cascade_declines"
            label="Try one more connection"
            hint="Only after declines that another acquirer might approve, and within the card networks’ limits for each card. Networks charge fees for repeated declines."
            checked={cascades}
            onChange={(event) => setCascades(event.currentTarget.checked)}
          />
        </Panel>
      </div>
      <RoutingSimulator account={stored.account} rules={rules} />
      {editing !== null && (
        <RoutingRuleDialog
          rule={rules[editing] ?? null}
          targets={targets}
          onSave={(rule) => {
            setRules(rules.toSpliced(editing, 1, rule));
            setEditing(null);
          }}
          onClose={() => setEditing(null)}
        />
      )}
      {isSaving && (
        <RoutingSaveDialog
          stored={stored}
          draft={{ rules, cascade_declines: cascades }}
          onClose={() => setIsSaving(false)}
        />
      )}
    </div>
  );
}
