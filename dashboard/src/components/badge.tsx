import type { ReactNode } from "react";
import { statusLabel } from "./status-label.ts";

export type Tone = "positive" | "warning" | "negative" | "info" | "neutral";

const styles: Readonly<Record<Tone, string>> = {
  positive: "bg-positive-soft text-positive",
  warning: "bg-warning-soft text-warning",
  negative: "bg-negative-soft text-negative",
  info: "bg-info-soft text-info",
  neutral: "bg-sunken text-ink-soft",
};

export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center rounded-sm px-1.5 py-px text-xs font-medium whitespace-nowrap ${styles[tone]}`}
    >
      {children}
    </span>
  );
}

/** The tone of each status. A status that is missing here is neutral. */
const tones: Readonly<Record<string, Tone>> = {
  succeeded: "positive",
  paid: "positive",
  won: "positive",
  approved: "positive",
  confirmed: "positive",
  approve: "positive",
  active: "positive",
  tested: "info",
  draining: "warning",
  enabled: "positive",
  delivered: "positive",
  applied: "positive",
  available: "positive",
  complete: "positive",
  authorized: "info",
  in_transit: "info",
  under_review: "info",
  in_review: "info",
  submitted: "info",
  open: "info",
  processing: "info",
  pending: "info",
  challenge: "info",
  being_canceled: "warning",
  requires_action: "warning",
  needs_response: "warning",
  review: "warning",
  unmatched: "warning",
  more_information_needed: "warning",
  partially_refunded: "warning",
  disputed: "warning",
  failed: "negative",
  lost: "negative",
  declined: "negative",
  decline: "negative",
  rejected: "negative",
  suspended: "negative",
  disabled: "negative",
  given_up: "negative",
};

/** A badge with a status of the API as readable text. */
export function Status({ status, tone }: { status: string; tone?: Tone }) {
  return <Badge tone={tone ?? tones[status] ?? "neutral"}>{statusLabel(status)}</Badge>;
}

export { inWords } from "./status-label.ts";
