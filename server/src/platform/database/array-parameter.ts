import assert from "node:assert/strict";
import { type Id, writeBytesOfUuid, writeUuidBytes } from "../../core/ids.ts";
import { Fragment } from "./sql.ts";
import { WireBuffer } from "./wire-buffer.ts";

type Cell<Item, Value> = (item: Item, index: number) => Value | null | undefined;

/** OIDs of the types in Postgres's catalog. They never change. */
const oids = {
  boolean: 16,
  bytea: 17,
  bigint: 20,
  smallint: 21,
  integer: 23,
  text: 25,
  timestamptz: 1184,
  uuid: 2950,
  jsonb: 3802,
} as const;

type ElementType = keyof typeof oids;

/**
 * A column of values as one parameter, in the binary form of Postgres arrays: `${uuids(ids)}::uuid[]`. A batch of sixty
 * charges has about thirty such columns. In this form, neither the service nor Postgres escapes or parses text, which
 * would take most of a batch's time (docs/decisions/0003-group-commit.md).
 */
export type ArrayParameter = {
  /** Postgres's name of the element type. */
  readonly of: ElementType;
  /** Writes the array into the message that is being built, so that its bytes are never copied. */
  writeTo(wire: WireBuffer): void;
  /**
   * Returns the array for a connection whose messages the driver builds. The driver looks for a method of this name.
   */
  toPostgres(): Buffer;
};

/** Buffer for arrays that the driver sends. Each finished array is copied out of it. */
const scratch = new WireBuffer();

/**
 * Creates an array parameter. The format is the number of dimensions, a flag for nulls, the element's OID, the length
 * and the lower bound, and then each element's length and bytes. All integers have 4 bytes. A null has length -1.
 */
function arrayOf<Item, Value>(
  of: ElementType,
  items: readonly Item[],
  value: Cell<Item, Value>,
  write: (value: Value, wire: WireBuffer) => void,
): ArrayParameter {
  function writeTo(wire: WireBuffer): void {
    wire.int32(1);
    const hasNull = wire.length;
    wire.int32(0);
    wire.int32(oids[of]);
    wire.int32(items.length);
    wire.int32(1);
    for (let index = 0; index < items.length; index++) {
      const cell = value(items[index] as Item, index);
      if (cell === null || cell === undefined) {
        wire.setInt32(1, hasNull);
        wire.int32(-1);
        continue;
      }
      const start = wire.length;
      wire.int32(0);
      write(cell, wire);
      wire.setInt32(wire.length - start - 4, start);
    }
  }

  function toPostgres(): Buffer {
    scratch.restart();
    writeTo(scratch);
    return Buffer.from(scratch.take());
  }

  return { of, writeTo, toPostgres };
}

/**
 * Returns the rows of a batch for use in a FROM: `from ${rowsOf({ id: uuids(…), amount: bigints(…) })} as t`. The
 * columns are unnested in a select list, where Postgres reads one value of each column per row. In the FROM, Postgres
 * would first copy every column into a tuple store.
 */
export function rowsOf(columns: Readonly<Record<string, ArrayParameter>>): Fragment {
  return unnested(columns, false);
}

/**
 * Returns the rows of a batch of keys, for a statement that looks up each key in an index. The first column is in a
 * subquery, so that the planner assumes at least ten keys, even when it plans for the values of the parameters.
 * Otherwise, a plan for fewer keys would seem cheaper than the cached plan. Postgres would then plan each lookup of a
 * few keys in a large table again, which takes longer than the lookup
 * (docs/decisions/0091-lookups-of-a-few-keys-use-a-cached-plan.md).
 */
export function keysOf(columns: Readonly<Record<string, ArrayParameter>>): Fragment {
  return unnested(columns, true);
}

function unnested(
  columns: Readonly<Record<string, ArrayParameter>>,
  hidesLength: boolean,
): Fragment {
  const strings: string[] = [];
  let before = "(select ";
  for (const [name, { of }] of Object.entries(columns)) {
    const [open, close] = hidesLength && strings.length === 0 ? ["(select ", ")"] : ["", ""];
    strings.push(`${before}unnest(${open}`);
    before = `::${of}[]${close}) as ${name}, `;
  }
  strings.push(`${before.slice(0, -2)})`);
  return new Fragment(strings, Object.values(columns));
}

export function uuids<Item>(items: readonly Item[], value: Cell<Item, string>): ArrayParameter {
  return arrayOf("uuid", items, value, writeUuid);
}

export function texts<Item>(items: readonly Item[], value: Cell<Item, string>): ArrayParameter {
  return arrayOf("text", items, value, writeText);
}

export function jsons<Item>(items: readonly Item[], value: Cell<Item, object>): ArrayParameter {
  return arrayOf("jsonb", items, value, writeJson);
}

export function booleans<Item>(items: readonly Item[], value: Cell<Item, boolean>): ArrayParameter {
  return arrayOf("boolean", items, value, writeBoolean);
}

export function smallints<Item>(items: readonly Item[], value: Cell<Item, number>): ArrayParameter {
  return arrayOf("smallint", items, value, writeSmallint);
}

export function integers<Item>(items: readonly Item[], value: Cell<Item, number>): ArrayParameter {
  return arrayOf("integer", items, value, writeInteger);
}

/** Returns an array of integers up to 2^53. The API accepts no larger integers. */
export function bigints<Item>(items: readonly Item[], value: Cell<Item, number>): ArrayParameter {
  return arrayOf("bigint", items, value, writeBigint);
}

export function timestamps<Item>(items: readonly Item[], value: Cell<Item, Date>): ArrayParameter {
  return arrayOf("timestamptz", items, value, writeTimestamp);
}

export function byteas<Item>(items: readonly Item[], value: Cell<Item, Buffer>): ArrayParameter {
  return arrayOf("bytea", items, value, writeBytes);
}

/** Writes an id in its API form (`ch_…`) or a uuid in Postgres's form. */
function writeUuid(id: string, wire: WireBuffer): void {
  const start = wire.room(16);
  if (id[8] === "-") writeBytesOfUuid(id, wire.memory, start);
  else writeUuidBytes(id as Id<string>, wire.memory, start);
}

function writeText(text: string, wire: WireBuffer): void {
  // Without this check, Postgres would reject the whole batch with a less precise error.
  if (text.includes("\0"))
    throw new RangeError("A text value of Postgres cannot contain a NUL character.");
  wire.text(text);
}

/** Writes jsonb in its binary form: the version, which is 1, followed by the text. */
function writeJson(value: object, wire: WireBuffer): void {
  wire.byte(1);
  wire.text(JSON.stringify(value));
}

function writeBoolean(value: boolean, wire: WireBuffer): void {
  wire.byte(value ? 1 : 0);
}

function writeSmallint(value: number, wire: WireBuffer): void {
  wire.int16(value);
}

function writeInteger(value: number, wire: WireBuffer): void {
  wire.int32(value);
}

function writeBigint(value: number, wire: WireBuffer): void {
  assert(Number.isSafeInteger(value), `${value} is not a safe integer`);
  wire.int32(Math.floor(value / 0x1_0000_0000));
  wire.int32(value | 0);
}

/** Postgres stores times as microseconds since the start of the year 2000. */
const epochMs = Date.UTC(2000, 0, 1);

function writeTimestamp(time: Date, wire: WireBuffer): void {
  writeBigint((time.getTime() - epochMs) * 1000, wire);
}

function writeBytes(bytes: Buffer, wire: WireBuffer): void {
  wire.copy(bytes);
}
