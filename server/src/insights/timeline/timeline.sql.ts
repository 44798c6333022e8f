import { firstUuidAt, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Charge } from "../../payments/charges/charge.ts";
import type { Dispute } from "../../payments/disputes/dispute.ts";
import type { Operation } from "../../payments/operations/operation.ts";
import { fragment, type Sql } from "../../platform/database/sql.ts";
import { indexed } from "../../webhooks/events/event.sql.ts";
import type { TimelineEvent } from "./timeline.ts";

type EventRow = { id: string; type: TimelineEvent["type"]; body: string };

/**
 * Returns the events of a payment, its session, refunds and disputes. The indexes of events by object leave out the
 * final events of a payment, because these would cost an index entry for every charge. Their IDs have the same
 * millisecond as the charge's outcome, so they are found by primary key.
 */
export async function readEventsOfPayment(
  read: Sql,
  charge: Charge,
  operations: readonly Operation[],
  disputes: readonly Dispute[],
): Promise<TimelineEvent[]> {
  const about = [charge, ...operations, ...disputes].map(({ id }) => uuidOf(id));
  if (charge.checkoutSessionId) about.push(uuidOf(charge.checkoutSessionId));
  const found = [
    ...(await readIndexed(read, charge, about)),
    ...(await readAtEnd(read, charge, about)),
  ];
  return found.map(({ id, type, body }) => ({ id: idFromUuid("evt", id), type, body }));
}

/** The event types that the indexes exclude. */
const endings = fragment`('payment.succeeded', 'payment_failed', 'checkout_session.completed')`;

async function readIndexed(
  read: Sql,
  { scope }: Charge,
  about: readonly string[],
): Promise<EventRow[]> {
  return read<EventRow>`
    select id, type, body
      from events
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and object_id = any (${about}::uuid[]) ${indexed}
     order by id
     limit 500
  `;
}

/**
 * The maximum number of events that are scanned, starting at the charge's creation. The scan is needed only if a test
 * clock has moved, because the events are then not found by the time of the outcome.
 */
const maxScannedEvents = 5_000;

async function readAtEnd(read: Sql, charge: Charge, about: readonly string[]): Promise<EventRow[]> {
  if (!("finalizedAt" in charge)) return [];
  const { scope, finalizedAt } = charge;
  const then = await read<EventRow>`
    select id, type, body
      from events
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and id >= ${firstUuidAt(finalizedAt)} and id < ${firstUuidAt(new Date(finalizedAt.getTime() + 1))}
       and object_id = any (${about}::uuid[]) and type in ${endings}
     order by id
  `;
  if (then.length > 0 || charge.status === "canceled") return then;
  return read<EventRow>`
    select id, type, body
      from (
        select id, type, object_id, body
          from events
         where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and id >= ${uuidOf(charge.id)}
         order by id
         limit ${maxScannedEvents}
      ) as next
     where object_id = any (${about}::uuid[]) and type in ${endings}
     order by id
  `;
}
