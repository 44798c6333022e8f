import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprintOf } from "./fingerprint.ts";

const print = (body: unknown, path = "/api/v1/charges", method = "POST") =>
  fingerprintOf(method, path, body).toString("hex");

test("the order of fields does not change the fingerprint, and any other difference does", () => {
  const body = { amount: 100, metadata: { a: "1", b: "2" } };
  assert.equal(print({ metadata: { b: "2", a: "1" }, amount: 100 }), print(body));
  const others = [
    print({ ...body, amount: 101 }),
    print({ ...body, amount: "100" }),
    print({ ...body, description: null }),
    print({ ...body, metadata: { a: "1", b: "3" } }),
    print({ ...body, metadata: [] }),
    print(body, "/api/v1/decisions"),
    print(body, "/api/v1/charges", "DELETE"),
    print({}),
  ];
  assert.equal(new Set([...others, print(body)]).size, others.length + 1);
});

test("the order of a list changes the fingerprint", () => {
  assert.notEqual(print({ a: [1, 2] }), print({ a: [2, 1] }));
});
