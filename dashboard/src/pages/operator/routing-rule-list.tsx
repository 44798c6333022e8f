import type { RoutingRule } from "@florin/contract/operator-routing.ts";
import { Button } from "../../components/button.tsx";
import { type Target, targetTexts } from "./use-routing-targets.ts";

/** The rules of an account in their order, with buttons that change the draft. */
export function RoutingRuleList({
  rules,
  targets,
  onEdit,
  onChange,
}: {
  rules: readonly RoutingRule[];
  targets: readonly Target[];
  onEdit: (place: number) => void;
  onChange: (rules: readonly RoutingRule[]) => void;
}) {
  if (rules.length === 0) {
    return (
      <p className="px-4 py-4 text-ink-soft sm:px-5">
        No rules. Payments are sent by the priority of the account’s assignments.
      </p>
    );
  }
  const moveUp = (place: number) => {
    const rule = rules[place] as RoutingRule;
    onChange(rules.toSpliced(place, 1).toSpliced(place - 1, 0, rule));
  };
  return (
    <ol aria-label="Routing rules" className="divide-y divide-line">
      {rules.map((rule, place) => (
        <li key={place} className="grid gap-2 px-4 py-4 sm:px-5">
          <p className="font-medium wrap-anywhere">
            {place + 1}. {rule.name}
          </p>
          <code className="font-mono text-sm wrap-anywhere whitespace-pre-wrap text-ink-soft">
            {rule.condition ?? "All payments"}
          </code>
          <ul aria-label={`Targets of ${rule.name}`} className="grid">
            {targetTexts(rule, targets).map((text) => (
              <li key={text} className="wrap-anywhere">
                {text}
              </li>
            ))}
          </ul>
          <span className="flex flex-wrap gap-2">
            <Button small aria-label={`Edit ${rule.name}`} onClick={() => onEdit(place)}>
              Edit
            </Button>
            {place > 0 && (
              <Button small aria-label={`Move ${rule.name} up`} onClick={() => moveUp(place)}>
                Move up
              </Button>
            )}
            <Button
              small
              weight="danger"
              aria-label={`Remove ${rule.name}`}
              onClick={() => onChange(rules.toSpliced(place, 1))}
            >
              Remove
            </Button>
          </span>
        </li>
      ))}
    </ol>
  );
}
