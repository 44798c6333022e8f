import type { DifferenceStatus, ReconciliationStatus } from "@florin/contract/reconciliation.ts";
import { Badge, type Tone } from "../../components/badge.tsx";

const days: Readonly<Record<ReconciliationStatus, readonly [Tone, string]>> = {
  balanced: ["positive", "Balanced"],
  in_transit: ["info", "In transit"],
  differences: ["negative", "Differences"],
  file_missing: ["warning", "File missing"],
  file_unreadable: ["warning", "File unreadable"],
};

export function DayStatus({ status }: { status: ReconciliationStatus }) {
  const [tone, words] = days[status];
  return <Badge tone={tone}>{words}</Badge>;
}

const differences: Readonly<Record<DifferenceStatus, readonly [Tone, string]>> = {
  open: ["negative", "Open"],
  in_transit: ["info", "In transit"],
  closed: ["neutral", "Closed"],
};

export function DifferenceBadge({ status }: { status: DifferenceStatus }) {
  const [tone, words] = differences[status];
  return <Badge tone={tone}>{words}</Badge>;
}
