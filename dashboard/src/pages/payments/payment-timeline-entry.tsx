import type { TimelineEntry } from "@florin/contract/timeline.ts";
import {
  ArrowDownToLine,
  Ban,
  CircleCheck,
  CircleDot,
  CircleX,
  Gavel,
  type LucideIcon,
  Play,
  Scale,
  ShieldQuestion,
  Split,
  Undo2,
} from "lucide-react";
import { formatMoney } from "../../components/amount.ts";
import { inWords, type Tone } from "../../components/badge.tsx";
import { Id } from "../../components/id.tsx";
import { isolateBidi } from "../../components/isolate-bidi.ts";
import type { Moment } from "../../components/timeline.tsx";

type Words = readonly [title: string, icon: LucideIcon, tone: Tone];

/** The labels of timeline entries by type. Any other type is shown by its API name. */
const steps: Readonly<Record<string, Words>> = {
  "charge.requested": ["Payment created", Play, "neutral"],
  "decision.made": ["Risk evaluated", Scale, "neutral"],
  "charge.rerouted": ["Switched to another acquirer", Split, "warning"],
  "capture.requested": ["Capture requested", ArrowDownToLine, "neutral"],
  "cancel.requested": ["Cancellation requested", Ban, "neutral"],
  "refund.requested": ["Refund requested", Undo2, "neutral"],
  "payment.succeeded": ["Payment succeeded", CircleCheck, "positive"],
  payment_failed: ["Payment failed", CircleX, "negative"],
  "payment.requires_action": ["Authentication required", ShieldQuestion, "warning"],
  "payment.authorized": ["Payment authorized", CircleCheck, "info"],
  "payment.captured": ["Payment captured", ArrowDownToLine, "positive"],
  "payment.canceled": ["Payment canceled", Ban, "neutral"],
  "payment.capture_failed": ["Capture failed", CircleX, "negative"],
  "checkout_session.completed": ["Checkout completed", CircleCheck, "positive"],
  "checkout_session.expired": ["Checkout expired", CircleX, "neutral"],
  "refund.succeeded": ["Refunded", Undo2, "positive"],
  "refund.failed": ["Refund failed", CircleX, "negative"],
  "dispute.opened": ["Dispute opened", Gavel, "warning"],
  "dispute.response_rejected": ["Dispute response rejected", Gavel, "warning"],
  "dispute.closed": ["Dispute closed", Gavel, "neutral"],
  "decision.review_opened": ["Review opened", ShieldQuestion, "warning"],
};

export function momentOf(entry: TimelineEntry, index: number, currency: string): Moment {
  const [title, icon, tone] = steps[entry.type] ?? [inWords(entry.type), CircleDot, "neutral"];
  return {
    key: `${index} ${entry.type}`,
    at: entry.at,
    icon,
    tone,
    title,
    detail: <Detail entry={entry} currency={currency} />,
  };
}

function Detail({ entry, currency }: { entry: TimelineEntry; currency: string }) {
  const { amount, reason, actor, event_id, request_id, idempotency_key } = entry;
  const details = [
    amount !== null && formatMoney(amount, currency),
    reason !== null && inWords(reason),
    // Shows the actor only at the entry of the request. The events after that entry belong to the same request.
    actor !== null && event_id === null && `by ${isolateBidi(actor.name)}`,
  ].filter(Boolean);
  return (
    <>
      {details.length > 0 && <p>{details.join(" · ")}</p>}
      <div className="flex flex-wrap gap-x-4">
        {request_id && (
          <span title={idempotency_key ? `Idempotency-Key: ${idempotency_key}` : undefined}>
            {/* The request log contains only requests with an actor, so a request of the card form has no link. */}
            <Id id={request_id} to={actor ? `/requests/${request_id}` : undefined} brief />
          </span>
        )}
        {event_id && <Id id={event_id} to={`/events/${event_id}`} brief />}
      </div>
    </>
  );
}
