import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../core/ids.ts";
import { SecurityCode } from "./card-number.ts";
import { createSecurityCodes } from "./security-codes.ts";

const start = Date.parse("2026-05-15T12:00:00Z");
const minuteMs = 60_000;

function typedCode(session = newId("cs", new Date(start))) {
  const scope = { account: newId("acct", new Date(start)), livemode: false };
  return { scope, id: newId("pm", new Date(start)), session };
}

test("a security code is dropped 15 minutes after it was typed, also when nothing else happens", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: start });
  const codes = createSecurityCodes({ now: () => new Date() });
  codes.keep(typedCode(), new SecurityCode("123"));
  t.mock.timers.tick(10 * minuteMs);
  codes.keep(typedCode(), new SecurityCode("456"));
  assert.equal(codes.size, 2);
  t.mock.timers.tick(5 * minuteMs);
  assert.equal(codes.size, 1);
  t.mock.timers.tick(10 * minuteMs);
  assert.equal(codes.size, 0);
});

test("a security code is returned once, and only for the session that it was typed in", () => {
  const codes = createSecurityCodes({ now: () => new Date(start) });
  const typed = typedCode();
  codes.keep(typed, new SecurityCode("123"));
  codes.keep({ ...typed, session: newId("cs", new Date(start)) }, new SecurityCode("456"));
  assert.equal(codes.take({ ...typed, session: newId("cs", new Date(start)) }), null);
  assert.equal(codes.take(typed)?.reveal(), "123");
  assert.equal(codes.take(typed), null);
  codes.drop(typed.scope, typed.id);
  assert.equal(codes.size, 0);
});
