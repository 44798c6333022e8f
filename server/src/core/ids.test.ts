import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/any-character.ts";
import {
  createdAt,
  firstUuidAt,
  type Id,
  idFromUuid,
  millisecondsOfUuid,
  newId,
  parseId,
  uuidOf,
  writeBytesOfUuid,
  writeIdOfUuid,
  writeUuidBytes,
} from "./ids.ts";

/** Any moment that fits into the 48 bits of a UUIDv7, up to the year 10889. */
const moment = fc
  .integer({ min: 0, max: 2 ** 48 - 1 })
  .map((milliseconds) => new Date(milliseconds));
const prefix = fc.constantFrom("ch", "cs", "acct", "evt");

test("an id survives the conversion to a uuid and back", () => {
  fc.assert(
    fc.property(fc.uuid(), prefix, (uuid, name) => {
      const id = idFromUuid(name, uuid);
      assert.equal(uuidOf(id), uuid);
      assert.equal(parseId(name, id), id);
      const bytes = Buffer.alloc(20);
      for (const write of [
        () => writeUuidBytes(id, bytes, 2),
        () => writeBytesOfUuid(uuid, bytes, 2),
      ]) {
        bytes.fill(0xff);
        write();
        assert.equal(bytes.toString("hex"), `ffff${uuid.replaceAll("-", "")}ffff`);
      }
      const written = Buffer.alloc(64);
      const end = writeIdOfUuid(name, Buffer.from(`{${uuid}}`), 1, written, 2);
      assert.equal(written.toString("latin1", 2, end), id);
    }),
  );
});

test("a new id is a UUIDv7 with its creation time", () => {
  fc.assert(
    fc.property(moment, (now) => {
      const id = newId("ch", now);
      assert.match(id, /^ch_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      assert.match(
        uuidOf(id),
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      assert.equal(createdAt(id).getTime(), now.getTime());
      assert.equal(millisecondsOfUuid(Buffer.from(`{${uuidOf(id)}}`), 1), now.getTime());
    }),
  );
});

test("ids and uuids sort by creation time", () => {
  fc.assert(
    fc.property(fc.array(moment, { minLength: 2, maxLength: 20 }), (moments) => {
      const ids = moments
        .toSorted((a, b) => a.getTime() - b.getTime())
        .map((now) => newId("ch", now));
      const times = (some: Id<"ch">[]) => some.map((id) => createdAt(id).getTime());
      assert.deepEqual(times(ids.toSorted()), times(ids));
      const byUuid = ids.toSorted((a, b) => (uuidOf(a) < uuidOf(b) ? -1 : 1));
      assert.deepEqual(byUuid, ids.toSorted());
    }),
  );
});

test("firstUuidAt is above every earlier id and not above any id of that time", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 48 - 1 }), (milliseconds) => {
      const bound = firstUuidAt(new Date(milliseconds));
      assert.ok(uuidOf(newId("ch", new Date(milliseconds - 1))) < bound);
      assert.ok(uuidOf(newId("ch", new Date(milliseconds))) >= bound);
    }),
  );
});

test("ten thousand ids of one millisecond are unique", () => {
  const now = new Date(1_800_000_000_000);
  assert.equal(new Set(Array.from({ length: 10_000 }, () => newId("ch", now))).size, 10_000);
});

test("a string that is not an id of this kind is rejected", () => {
  const id = newId("ch", new Date(1_800_000_000_000));
  const suffix = id.slice(3);
  for (const text of [
    "",
    "ch",
    "ch_",
    suffix,
    `cs_${suffix}`,
    `ch-${suffix}`,
    `CH_${suffix}`,
    id.slice(0, -1),
    `${id}0`,
    ` ${id}`,
    `ch_${suffix.toUpperCase()}`,
    // 26 characters hold 130 bits. This id needs more than the 128 bits of a uuid.
    `ch_8${suffix.slice(1)}`,
    // The letters that Crockford's base32 omits, because people confuse them with others.
    ...["i", "l", "o", "u"].map((letter) => `${id.slice(0, -1)}${letter}`),
    `${id.slice(0, -1)}é`,
    `${id.slice(0, -1)}\0`,
    `${id.slice(0, -2)}😀`,
  ]) {
    assert.equal(parseId("ch", text), null, text);
  }
});

test("any string is rejected or survives the conversion to a uuid and back", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, minLength: 20, maxLength: 32 }), (text) => {
      const id = parseId("ch", `ch_${text}`);
      if (id) assert.equal(idFromUuid("ch", uuidOf(id)), id);
    }),
  );
});
