import assert from "node:assert/strict";
import { test } from "node:test";
import { cookieIn } from "./cookie.ts";

test("a cookie is found by its exact name, wherever it is in the header", () => {
  for (const header of [
    "__Host-a=1",
    "b=2; __Host-a=1",
    "b=2;__Host-a=1; c=3",
    "__Host-a=; __Host-a=1",
  ]) {
    assert.equal(cookieIn(header, "__Host-a"), "1", header);
  }
  assert.equal(cookieIn(undefined, "__Host-a"), null);
});

test("a cookie that another host of the domain sets behind white space is not a `__Host-` cookie", () => {
  for (const space of ["\u00a0", "\t", "  ", "\ufeff", "\u2000"]) {
    assert.equal(cookieIn(`b=2; ${space}__Host-a=1`, "__Host-a"), null, JSON.stringify(space));
  }
});
