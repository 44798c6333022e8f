import assert from "node:assert/strict";
import { type Id, writeUuidBytes } from "../primitives/ids.ts";

/**
 * A column of values as one parameter, in the binary form of Postgres arrays: `${uuids(ids)}::uuid[]`. A batch of
 * sixty charges is some thirty such columns. Nothing is escaped on this side and nothing parsed on the other,
 * which is what most of a batch's time would otherwise go to (docs/decisions/0003-group-commit.md).
 *
 * The form: number of dimensions, whether there are nulls, the element's type, length and lower bound, and then
 * each element's length and bytes; all integers of 4 bytes, the high one first. A null has length -1.
 */
type Cell<Item, Value> = (item: Item) => Value | null | undefined;

/** The types' numbers in Postgres's own catalogue, which never change. */
const oids = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  timestamptz: 1184,
  uuid: 2950,
  jsonb: 3802,
} as const;

const headerBytes = 20;

/** Reused from column to column; what is done is copied out of it. */
let scratch = Buffer.allocUnsafe(256 * 1024);

function reserve(offset: number, bytes: number): void {
  if (offset + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafe(Math.max(scratch.length * 2, offset + bytes));
  scratch.copy(larger, 0, 0, offset);
  scratch = larger;
}

/** Writes the value at the offset of `scratch`, and answers how many bytes it took. */
type Write<Value> = (value: Value, offset: number) => number;

function arrayOf<Item, Value>(
  oid: number,
  items: readonly Item[],
  value: Cell<Item, Value>,
  write: Write<Value>,
): Buffer {
  let hasNull = 0;
  let offset = headerBytes;
  for (let index = 0; index < items.length; index++) {
    reserve(offset, 4);
    const cell = value(items[index] as Item);
    if (cell === null || cell === undefined) {
      hasNull = 1;
      scratch.writeInt32BE(-1, offset);
      offset += 4;
      continue;
    }
    const bytes = write(cell, offset + 4);
    scratch.writeInt32BE(bytes, offset);
    offset += 4 + bytes;
  }
  reserve(0, headerBytes);
  scratch.writeInt32BE(1, 0);
  scratch.writeInt32BE(hasNull, 4);
  scratch.writeInt32BE(oid, 8);
  scratch.writeInt32BE(items.length, 12);
  scratch.writeInt32BE(1, 16);
  return Buffer.from(scratch.subarray(0, offset));
}

export function uuids<Item>(items: readonly Item[], value: Cell<Item, string>): Buffer {
  return arrayOf(oids.uuid, items, value, writeUuid);
}

export function texts<Item>(items: readonly Item[], value: Cell<Item, string>): Buffer {
  return arrayOf(oids.text, items, value, writeText);
}

export function jsons<Item>(items: readonly Item[], value: Cell<Item, object>): Buffer {
  return arrayOf(oids.jsonb, items, value, writeJson);
}

export function booleans<Item>(items: readonly Item[], value: Cell<Item, boolean>): Buffer {
  return arrayOf(oids.bool, items, value, writeBoolean);
}

export function smallints<Item>(items: readonly Item[], value: Cell<Item, number>): Buffer {
  return arrayOf(oids.int2, items, value, writeSmallint);
}

export function integers<Item>(items: readonly Item[], value: Cell<Item, number>): Buffer {
  return arrayOf(oids.int4, items, value, writeInteger);
}

/** Integers up to 2^53, which is all the API lets in. */
export function bigints<Item>(items: readonly Item[], value: Cell<Item, number>): Buffer {
  return arrayOf(oids.int8, items, value, writeBigint);
}

export function timestamps<Item>(items: readonly Item[], value: Cell<Item, Date>): Buffer {
  return arrayOf(oids.timestamptz, items, value, writeTimestamp);
}

export function byteas<Item>(items: readonly Item[], value: Cell<Item, Buffer>): Buffer {
  return arrayOf(oids.bytea, items, value, writeBytes);
}

/** Takes an id as the wire has it, or the uuid that Postgres has. */
function writeUuid(id: string, offset: number): number {
  reserve(offset, 16);
  return id[8] === "-"
    ? scratch.write(id.replaceAll("-", ""), offset, "hex")
    : writeUuidBytes(id as Id<string>, scratch, offset);
}

/** A character takes up to three bytes in UTF-8 (those of a surrogate pair two each). */
const mostBytesPerCharacter = 3;

function writeText(text: string, offset: number): number {
  // Postgres would refuse the whole batch for it, and tell less.
  if (text.includes("\0")) throw new RangeError("A Postgres text cannot hold a NUL character");
  return writeUtf8(text, offset);
}

function writeUtf8(text: string, offset: number): number {
  reserve(offset, text.length * mostBytesPerCharacter);
  return scratch.write(text, offset, "utf8");
}

/** The binary form of jsonb is its text behind a version, which is 1. */
function writeJson(value: object, offset: number): number {
  reserve(offset, 1);
  scratch[offset] = 1;
  return 1 + writeUtf8(JSON.stringify(value), offset + 1);
}

function writeBoolean(value: boolean, offset: number): number {
  reserve(offset, 1);
  scratch[offset] = value ? 1 : 0;
  return 1;
}

function writeSmallint(value: number, offset: number): number {
  reserve(offset, 2);
  return scratch.writeInt16BE(value, offset) - offset;
}

function writeInteger(value: number, offset: number): number {
  reserve(offset, 4);
  return scratch.writeInt32BE(value, offset) - offset;
}

function writeBigint(value: number, offset: number): number {
  assert(Number.isSafeInteger(value), `${value} is not an integer that a number holds exactly`);
  reserve(offset, 8);
  scratch.writeInt32BE(Math.floor(value / 0x1_0000_0000), offset);
  scratch.writeUInt32BE(value >>> 0, offset + 4);
  return 8;
}

/** Postgres counts microseconds from the beginning of the year 2000. */
const epochMs = Date.UTC(2000, 0, 1);

function writeTimestamp(time: Date, offset: number): number {
  return writeBigint((time.getTime() - epochMs) * 1000, offset);
}

function writeBytes(bytes: Buffer, offset: number): number {
  reserve(offset, bytes.length);
  return bytes.copy(scratch, offset);
}
