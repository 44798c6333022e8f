import type { Random } from "../seeded-random.ts";

/** Stores the IDs and other values of earlier responses, so that requests refer to existing objects. */
export type ResponseValues = {
  /** Stores the values of a response body. */
  note(body: unknown): void;
  /** Returns an ID with this prefix, usually of an existing object. */
  id(prefix: string, random: Random): string;
  /** Returns a value that a response had in the field with this name, or undefined. */
  value(name: string, random: Random): string | number | undefined;
  /** Returns the ID of an object with this `object` field, for objects whose IDs have no prefix. */
  object(kind: string, random: Random): string | undefined;
};

const maxKnown = 60;
/** The maximum length of a stored string. Requests do not refer to longer strings. */
const maxLength = 500;
const idPattern = /^([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Matches the secret at the end of a link in an email. */
const linkPattern = /#([A-Za-z0-9_-]{43})\b/g;

export function createResponseValues(): ResponseValues {
  const ids = createPool<string>();
  const values = createPool<string | number>();
  const objects = createPool<string>();

  function note(body: unknown, name = ""): void {
    if (typeof body === "string") {
      const prefix = idPattern.exec(body)?.[1];
      if (prefix) ids.add(prefix, body);
      for (const [, token = ""] of body.matchAll(linkPattern)) values.add("token", token);
      if (name && body.length <= maxLength) values.add(name, body);
    } else if (typeof body === "number") {
      values.add(name, body);
    } else if (Array.isArray(body)) {
      for (const item of body) note(item, name);
    } else if (typeof body === "object" && body !== null) {
      const { object, id } = body as { object?: unknown; id?: unknown };
      if (typeof object === "string" && typeof id === "string") objects.add(object, id);
      for (const [key, member] of Object.entries(body)) note(member, key);
    }
  }

  return {
    note,
    id(prefix, random) {
      const known = ids.pick(prefix, random);
      if (known !== undefined && random.happens(0.9)) return known;
      if (prefix === "pm" && random.happens(0.8)) return "pm_card_visa";
      return `${prefix}_01jb${"0123456789".repeat(3).slice(0, 22)}`;
    },
    value: values.pick,
    object: objects.pick,
  };
}

/** Stores the newest distinct values of each name. */
function createPool<Value>() {
  const pool = new Map<string, Value[]>();
  return {
    add(name: string, value: Value): void {
      const values = pool.get(name) ?? [];
      if (values.includes(value)) return;
      values.push(value);
      if (values.length > maxKnown) values.shift();
      pool.set(name, values);
    },
    pick(name: string, random: Random): Value | undefined {
      const values = pool.get(name) ?? [];
      // Prefer the newest value, because secrets and challenges are soon replaced.
      return random.happens(0.4) ? values.at(-1) : random.pick(values);
    },
  };
}
