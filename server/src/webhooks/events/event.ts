import type { EventType } from "@florin/contract/event.ts";
import { unixSeconds } from "../../core/clock.ts";
import { beforeObject } from "../../core/event-object.ts";
import { createdAt, type EventId, type Id, parseId, type RequestId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";

/** An event to insert in the transaction of its state change. */
export type NewEvent = {
  readonly id: EventId;
  readonly type: EventType;
  readonly objectId: Id<string>;
  /** The bytes that are stored, signed and sent. Every attempt sends the same bytes. */
  readonly body: string;
};

/** The request that caused the event. Null if the service caused it. */
export type EventCause = { readonly id: RequestId; readonly idempotencyKey: string | null };

type EventBase = {
  readonly id: EventId;
  readonly type: EventType;
  readonly scope: Scope;
  readonly cause: EventCause | null;
  /** True for a sample event, whose object does not exist. */
  readonly sample?: true;
  readonly objectId: Id<string>;
  /** The whole object as JSON. */
  readonly object: string;
  /** The previous values of the changed fields. Only for events that report nothing but a change of fields. */
  readonly previous?: object;
};

export function renderEvent(event: EventBase): NewEvent {
  const { id, type, objectId, previous } = event;
  const envelope = JSON.stringify({
    id,
    object: "event",
    type,
    api_version: "v1",
    created: unixSeconds(createdAt(id)),
    livemode: event.scope.livemode,
    account: event.scope.account,
    ...(event.sample && { sample: true }),
    request: event.cause && { id: event.cause.id, idempotency_key: event.cause.idempotencyKey },
  });
  const before = previous ? `,"previous_attributes":${JSON.stringify(previous)}` : "";
  const body = `${envelope.slice(0, -1)},${beforeObject}${event.object.slice(1)}${before}}}`;
  return { id, type, objectId, body };
}

/**
 * Returns the request that caused an event, from the event's body. Returns null if the service caused it. A text of a
 * merchant cannot contain the searched bytes, because quotes in texts are escaped.
 */
export function requestIn(body: Buffer): RequestId | null {
  const start = body.indexOf(beforeRequest);
  if (start === -1) return null;
  const end = body.indexOf('"', start + beforeRequest.length);
  return parseId("req", body.toString("latin1", start + beforeRequest.length, end));
}

const beforeRequest = '"request":{"id":"';

/** The time for which events can be read and resent. */
export const eventLifeMs = 30 * 24 * 60 * 60 * 1000;
