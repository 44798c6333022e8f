import assert from "node:assert/strict";
import { test } from "node:test";
import { listQuery } from "@florin/contract/list.ts";
import { checkOf } from "@florin/contract/violation.ts";
import Type from "typebox";
import { readQuery } from "./query.ts";

const schema = listQuery({ status: Type.Optional(Type.String()) });
const read = (raw: Record<string, unknown>) => JSON.parse(JSON.stringify(readQuery(raw, schema)));

test("members in brackets become one object, and integers are parsed", () => {
  assert.deepEqual(read({ limit: "5", "created[gte]": "1", "created[lt]": "2", status: "7" }), {
    limit: 5,
    created: { gte: 1, lt: 2 },
    status: "7",
  });
});

test("an invalid integer is left unchanged, and validation names the parameter", () => {
  for (const limit of ["", "1.5", "1e1", "0x1", " 1", "+1", "9".repeat(16), ["1", "2"]]) {
    assert.deepEqual(read({ limit }), { limit });
    assert.equal(checkOf(schema)(readQuery({ limit }, schema))?.param, "limit");
  }
});

test("unknown parameters and malformed brackets are rejected and not ignored", () => {
  for (const name of [
    "limits",
    "created[gte][x]",
    "[gte]",
    "created[]",
    "created[gt",
    "__proto__[a]",
  ]) {
    const violation = checkOf(schema)(readQuery({ [name]: "1" }, schema));
    assert.equal(violation?.code, "parameter_unknown", name);
  }
});

test("no parameter name can reach a prototype", () => {
  readQuery({ "__proto__[polluted]": "1", "constructor[prototype]": "1" }, schema);
  assert.equal(({} as { polluted?: string }).polluted, undefined);
});
