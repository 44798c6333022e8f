import assert from "node:assert/strict";
import { Console } from "node:console";
import { Writable } from "node:stream";
import test from "node:test";
import { format, inspect } from "node:util";
import { serialize } from "node:v8";
import { type CardCredentials, CardNumber, SecurityCode } from "./card-number.ts";

const digits = "4000056655665556";
const code = "8317";
const credentials: CardCredentials = {
  number: new CardNumber(digits),
  expMonth: 12,
  expYear: 2030,
  securityCode: new SecurityCode(code),
  postalCode: "94103",
  addressLine1: null,
};

/** Every way in which a value becomes text or bytes without a call of `reveal`. */
const waysOut: readonly (readonly [string, (value: unknown) => string])[] = [
  ["console.log", logged],
  ["inspect", (value) => inspect({ deep: [{ value }] }, { depth: null })],
  [
    "inspect showHidden",
    (value) => inspect(value, { showHidden: true, depth: null, getters: true }),
  ],
  ["inspect without custom", (value) => inspect(value, { customInspect: false, showHidden: true })],
  ["format", (value) => format("%s %o %O %j", value, value, value, value)],
  ["JSON", (value) => JSON.stringify({ value })],
  [
    "template",
    (value) => `${(value as CardCredentials).number} ${(value as CardCredentials).securityCode}`,
  ],
  ["concatenation", (value) => [Object.values(value as object)].join() + String(value)],
  ["structuredClone", (value) => inspect(structuredClone(value), { customInspect: false })],
  ["v8 serialize", (value) => serialize(value).toString("latin1")],
  [
    "error message",
    (value) => new Error(`failed for ${Object.values(value as object)}`).stack ?? "",
  ],
  ["error cause", (value) => inspect(new Error("failed", { cause: value }), { depth: null })],
  ["assertion", (value) => messageOf(() => assert.deepEqual(value, {}))],
  ["spread", (value) => JSON.stringify({ ...(value as CardCredentials).number })],
  [
    "reflection",
    (value) => JSON.stringify(Object.getOwnPropertyDescriptors((value as CardCredentials).number)),
  ],
];

for (const [name, way] of waysOut) {
  test(`${name} reveals neither the card number nor the security code`, () => {
    const text = way(credentials);
    assert.ok(!text.includes(digits), "the whole number");
    assert.ok(!text.includes(digits.slice(0, 12)), "more than its last four digits");
    assert.ok(!text.includes(code), "the security code");
  });
}

test("reveal returns the digits", () => {
  assert.equal(credentials.number.reveal(), digits);
  assert.equal(credentials.securityCode?.reveal(), code);
  assert.equal(`${credentials.number}`, "•••• 5556");
});

function logged(value: unknown): string {
  let text = "";
  const stdout = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  const console = new Console({ stdout, stderr: stdout });
  console.log(value, { value });
  console.dir(value, { showHidden: true, depth: null });
  console.table([value]);
  return text;
}

function messageOf(work: () => void): string {
  try {
    work();
  } catch (error) {
    return inspect(error);
  }
  return assert.fail("it should have thrown");
}
