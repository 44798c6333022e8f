import { type Id, uuidOf } from "../../core/ids.ts";

const anyId = /^[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** A request with more ids is a list, and the ids say little about it. */
const most = 8;

/** Returns the UUID of any of our ids, or null. */
export function uuidOfAny(text: unknown): string | null {
  return typeof text === "string" && anyId.test(text) ? uuidOf(text as Id<string>) : null;
}

/**
 * Returns the objects of a request: those in its path and body, and the response's own id and the ids that it names. So
 * the log of a payment includes the requests for its session and refunds.
 */
export function objectsOf(
  params: Readonly<Record<string, string>>,
  ...bodies: readonly unknown[]
): string[] {
  const found = new Set<string>();
  const add = (text: unknown): void => {
    const uuid = uuidOfAny(text);
    if (uuid && found.size < most) found.add(uuid);
  };
  for (const value of Object.values(params)) add(value);
  for (const body of bodies) for (const value of idsIn(body)) add(value);
  return [...found];
}

/** Returns the `id` and every `…_id` of an object, and the charge that an error names. */
function idsIn(body: unknown): unknown[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    if (name === "error" || name === "session") return idsIn(value);
    return name === "id" || name === "charge" || name.endsWith("_id") ? [value] : [];
  });
}
