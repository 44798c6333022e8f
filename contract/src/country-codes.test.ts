import assert from "node:assert/strict";
import { test } from "node:test";
import { countryCodes } from "./country-codes.ts";

test("every country has its own name in CLDR", () => {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const named = countryCodes.map((code) => names.of(code));
  assert.deepEqual(
    countryCodes.filter((_, place) => named[place] === undefined),
    [],
  );
  assert.equal(new Set(named).size, countryCodes.length);
});

test("codes that are reserved or that only CLDR defines are not countries", () => {
  const reserved = "AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ".split(" ");
  assert.deepEqual(
    reserved.filter((code) => countryCodes.includes(code)),
    [],
  );
});
