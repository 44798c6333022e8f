import type { EventType } from "@florin/contract/event.ts";
import { unixSeconds } from "../primitives/clock.ts";
import { createdAt, type EventId, type Id, type RequestId } from "../primitives/ids.ts";
import { beforeObject } from "../primitives/object-in-body.ts";
import type { Owner } from "../primitives/owner.ts";

/** What happened, ready to be written with the thing itself (spec §6, contract §6). */
export type NewEvent = {
  readonly id: EventId;
  readonly type: EventType;
  /** The object the event is about. */
  readonly objectId: Id<string>;
  /** The bytes that are stored, signed and sent, each time the same. */
  readonly body: string;
};

/** The request that caused the event; null when the service itself did. */
export type EventCause = { readonly id: RequestId; readonly idempotencyKey: string | null };

type EventFacts = {
  readonly id: EventId;
  readonly type: EventType;
  readonly owner: Owner;
  readonly cause: EventCause | null;
  readonly objectId: Id<string>;
  /** The whole object, already rendered. */
  readonly object: string;
  /** What the changed fields were before, where the event tells of a change and of nothing else. */
  readonly previous?: object;
};

export function renderEvent(event: EventFacts): NewEvent {
  const { id, type, objectId, previous } = event;
  const envelope = JSON.stringify({
    id,
    object: "event",
    type,
    api_version: "v1",
    created: unixSeconds(createdAt(id)),
    livemode: event.owner.livemode,
    account: event.owner.account,
    request: event.cause && { id: event.cause.id, idempotency_key: event.cause.idempotencyKey },
  });
  const before = previous ? `,"previous_attributes":${JSON.stringify(previous)}` : "";
  const body = `${envelope.slice(0, -1)},${beforeObject}${event.object.slice(1)}${before}}}`;
  return { id, type, objectId, body };
}

/** How long events can be read, and sent again (contract §5). */
export const eventLifeMs = 30 * 24 * 60 * 60 * 1000;
