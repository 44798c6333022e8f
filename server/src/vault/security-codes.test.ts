import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../core/ids.ts";
import { createChannelPair } from "../platform/processes/channel.ts";
import { createHub } from "../platform/processes/hub.ts";
import { SecurityCode } from "./card-number.ts";
import { createSecurityCodes, type SecurityCodes, serveSecurityCodes } from "./security-codes.ts";

const start = Date.parse("2026-05-15T12:00:00Z");
const minuteMs = 60_000;

function typedCode(session = newId("cs", new Date(start))) {
  const scope = { account: newId("acct", new Date(start)), livemode: false };
  return { scope, id: newId("pm", new Date(start)), session };
}

test("a security code is dropped 15 minutes after it was typed, even without a further call", (t) => {
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

test("a process that loaded a security code late drops it 15 minutes after it was typed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: start });
  const clock = { now: () => new Date() };
  const hub = createHub();
  serveSecurityCodes(hub, clock);
  const [typing, charging] = Array.from({ length: 2 }, () => {
    const [ofPrimary, primary] = createChannelPair();
    hub.add(ofPrimary);
    return createSecurityCodes(clock, primary);
  }) as [SecurityCodes, SecurityCodes];
  const typed = typedCode();
  await typing.keep(typed, new SecurityCode("123"));
  t.mock.timers.tick(10 * minuteMs);
  await charging.keep(typedCode(), new SecurityCode("456"));
  await charging.load(typed);
  assert.equal(charging.size, 2);
  t.mock.timers.tick(5 * minuteMs);
  assert.equal(charging.size, 1);
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
