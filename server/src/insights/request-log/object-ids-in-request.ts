import { type Id, uuidOf } from "../../core/ids.ts";

const anyId = /^[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** The maximum number of object IDs that are stored for a request. Further IDs are left out. */
const maxObjects = 8;

/** Returns the UUID of an ID of any type. Returns null for any other value. */
export function uuidOfAny(text: unknown): string | null {
  return typeof text === "string" && anyId.test(text) ? uuidOf(text as Id<string>) : null;
}

/**
 * Returns the UUIDs of the objects in a request's path, body and response. The log of a payment therefore includes the
 * requests for its session and refunds.
 */
export function objectsOf(
  params: Readonly<Record<string, string>>,
  ...bodies: readonly unknown[]
): string[] {
  const found = new Set<string>();
  const add = (text: unknown): void => {
    const uuid = uuidOfAny(text);
    if (uuid && found.size < maxObjects) found.add(uuid);
  };
  for (const value of Object.values(params)) add(value);
  for (const body of bodies) for (const value of idsIn(body)) add(value);
  return [...found];
}

/** Returns the `id`, the `charge` and every `…_id` of an object, and those of its `error` and its `session`. */
function idsIn(body: unknown): unknown[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    if (name === "error" || name === "session") return idsIn(value);
    return name === "id" || name === "charge" || name.endsWith("_id") ? [value] : [];
  });
}
