import { type Id, uuidOf } from "../primitives/ids.ts";

const anyId = /^[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** More would be a list of somebody's making. */
const most = 8;

/** The uuid of any id of ours; null for what is none. */
export function uuidOfAny(text: unknown): string | null {
  return typeof text === "string" && anyId.test(text) ? uuidOf(text as Id<string>) : null;
}

/**
 * What a request was about: the object in its path, those it names in its body, and the one it was answered with and
 * those that this one names. So a payment's log also has the session it was paid in and its refunds.
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

/** The `id` and every `…_id` of an object; of an error, the charge it tells of. */
function idsIn(body: unknown): unknown[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    if (name === "error" || name === "session") return idsIn(value);
    return name === "id" || name === "charge" || name.endsWith("_id") ? [value] : [];
  });
}
