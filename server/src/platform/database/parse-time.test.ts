import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { seed } from "../../../test/test-size.ts";
import { parseTime } from "./parse-time.ts";

const parseByDriver = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (
  text: string,
) => Date;

test("times of any precision and offset are parsed as the driver parses them", () => {
  const time = fc.date({
    min: new Date("0001-01-01"),
    max: new Date("9999-12-31"),
    noInvalidDate: true,
  });
  const fraction = fc.option(fc.stringMatching(/^[0-9]{1,6}$/), { nil: "" });
  const offset = fc.constantFrom("+00", "+00", "+00", "+02", "-03:30", "+05:30:17");
  fc.assert(
    fc.property(time, fraction, offset, (at, digits, zone) => {
      const seconds = at.toISOString().slice(0, 19).replace("T", " ");
      const text = `${seconds}${digits && "."}${digits}${zone}`;
      assert.deepEqual(parseTime(text), parseByDriver(text), text);
    }),
    { seed, numRuns: 2_000 },
  );
});

for (const text of [
  "infinity",
  "-infinity",
  "10889-08-02 05:31:50+00",
  "0044-03-15 12:00:00+00 BC",
]) {
  test(`${text} is parsed as the driver parses it`, () => {
    assert.deepEqual(parseTime(text), parseByDriver(text));
  });
}
