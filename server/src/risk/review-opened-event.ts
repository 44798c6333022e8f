import { newId } from "../core/ids.ts";
import { type EventCause, type NewEvent, renderEvent } from "../webhooks/events/event.ts";
import { type Decision, decisionObject } from "./decision.ts";

/** Returns the event that announces a payment in manual review. */
export function reviewOpenedEvent(
  decision: Decision,
  cause: EventCause | null,
  now: Date,
): NewEvent {
  return renderEvent({
    id: newId("evt", now),
    type: "decision.review_opened",
    scope: decision.scope,
    cause,
    objectId: decision.id,
    object: JSON.stringify(decisionObject(decision, now)),
  });
}
