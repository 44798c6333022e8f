import type { Charge } from "@florin/contract/charge.ts";
import type { ChargeTimeline, SessionAttempt, TimelineEntry } from "@florin/contract/timeline.ts";
import { useObject } from "../../api/use-object.ts";
import { inWords, Status } from "../../components/badge.tsx";
import { Card } from "../../components/card.tsx";
import { DayAndTime } from "../../components/date-time.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { NoValue } from "../../components/no-value.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Timeline } from "../../components/timeline.tsx";
import { momentOf } from "./payment-timeline-entry.tsx";

/** Reads the whole history of a payment. All sections that show the history share one request. */
export function useTimeline(charge: Charge) {
  // Reads the timeline again for each new version of the payment.
  return useObject<ChargeTimeline>(
    `/charges/${charge.id}/timeline`,
    {},
    {
      asOf: charge.version,
      againMs: ({ entries }) => (entries.some(mayLackActor) ? 1_000 : null),
    },
  );
}

/**
 * Returns whether the actor of a request may still be missing. The actor comes from the request log, which is written
 * up to a few seconds after the response. Requests of the card form never have an actor.
 */
function mayLackActor({ request_id, event_id, actor, at }: TimelineEntry): boolean {
  const isRequest = request_id !== null && event_id === null;
  return isRequest && actor === null && Date.now() / 1000 - at < 15;
}

export function PaymentTimeline({ charge }: { charge: Charge }) {
  const { data, error } = useTimeline(charge);
  return (
    <Panel title="Timeline">
      {error && <LoadError problem={error} />}
      {!data && !error && <Skeleton lines={4} />}
      {data && (
        <Timeline
          label="Payment timeline, newest first"
          moments={data.entries
            .map((entry, index) => momentOf(entry, index, charge.currency))
            .reverse()}
        />
      )}
    </Panel>
  );
}

const columns: readonly Column<SessionAttempt>[] = [
  { title: "Card", cell: (attempt) => <Card {...attempt} /> },
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  {
    title: "Decline reason",
    from: "sm",
    below: ({ decline_code }) => decline_code && inWords(decline_code),
    cell: ({ decline_code }) => (decline_code ? inWords(decline_code) : <NoValue />),
  },
  { title: "Created", align: "end", cell: ({ created }) => <DayAndTime at={created} /> },
];

/** All payment attempts of the payment's checkout session, including the payment itself. */
export function PaymentAttempts({ charge }: { charge: Charge }) {
  const { data } = useTimeline(charge);
  if (!data || data.attempts.length === 0) return null;
  return (
    <Panel title="Attempts" lead="In the same checkout session" flush>
      <Table
        label="Attempts"
        columns={columns}
        rows={data.attempts.toReversed()}
        keyOf={({ charge_id }) => charge_id}
        to={({ charge_id }) => `/payments/${charge_id}`}
        empty={null}
      />
    </Panel>
  );
}
