import { type EventType, eventObjectPermissions, eventTypes } from "@florin/contract/event.ts";
import { assertPermission, type Caller } from "../../platform/http/caller.ts";

/**
 * Returns the requested event types. If none were requested, returns the types that the caller may read, or null if the
 * caller may read all types. Throws a 403 if a requested type requires a permission that the caller does not have.
 */
export function readableEventTypes(
  caller: Pick<Caller, "actor" | "permissions">,
  requested: readonly EventType[] | null,
): readonly EventType[] | null {
  if (requested) {
    for (const type of requested) assertEventReadable(caller, type);
    return requested;
  }
  const readable = eventTypes.filter((type) =>
    caller.permissions.has(eventObjectPermissions[type]),
  );
  return readable.length === eventTypes.length ? null : readable;
}

/** Throws a 403 if the caller may not read the object of an event of this type. */
export function assertEventReadable(
  caller: Pick<Caller, "actor" | "permissions">,
  type: EventType,
): void {
  assertPermission(caller, eventObjectPermissions[type]);
}
