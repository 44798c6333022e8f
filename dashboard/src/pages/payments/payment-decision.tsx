import type { Decision } from "@florin/contract/decision.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { inWords, Status } from "../../components/badge.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

/** The risk decision before authorization, with its reasons. `linked` adds a link to the page of the decision. */
export function PaymentDecision({ id, linked = false }: { id: string; linked?: boolean }) {
  const may = useMay();
  const { data: decision, isPending } = useObject<Decision>(
    may("decisions:read") ? `/decisions/${id}` : null,
  );
  if (!may("decisions:read")) return null;
  return (
    <Panel title="Risk evaluation">
      {isPending && <Skeleton lines={3} />}
      {decision && (
        <KeyValues
          items={[
            ["Outcome", <Status key="outcome" status={decision.outcome} />],
            ["Risk", <Risk key="risk" score={decision.risk_score} level={decision.risk_level} />],
            [
              "Reasons",
              decision.reasons.length === 0 ? (
                "None"
              ) : (
                <ul key="reasons" className="grid gap-1">
                  {decision.reasons.map((reason) => (
                    <li key={reason}>{inWords(reason)}</li>
                  ))}
                </ul>
              ),
            ],
            decision.matched_rules.length > 0 && [
              "Matched rules",
              <span key="rules" className="grid gap-1">
                {decision.matched_rules.map((rule) => (
                  <code key={rule} className="font-mono text-xs break-all">
                    {rule}
                  </code>
                ))}
              </span>,
            ],
            linked && [
              "Decision",
              <Id key="id" id={decision.id} to={`/decisions/${decision.id}`} brief />,
            ],
          ]}
        />
      )}
    </Panel>
  );
}

function Risk({ score, level }: { score: number; level: string }) {
  const color = { normal: "bg-positive", elevated: "bg-warning" }[level] ?? "bg-negative";
  return (
    <span className="flex items-center gap-2.5">
      <span className="whitespace-nowrap tabular-nums">{score}</span>
      <span aria-hidden="true" className="h-1.5 w-12 shrink overflow-hidden rounded-full bg-sunken">
        <span className={`block h-full ${color}`} style={{ width: `${Math.max(score, 2)}%` }} />
      </span>
      <span className="whitespace-nowrap text-ink-soft">{inWords(level)}</span>
    </span>
  );
}
