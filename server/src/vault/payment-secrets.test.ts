import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../core/ids.ts";
import { createChannelPair } from "../platform/processes/channel.ts";
import { createHub } from "../platform/processes/hub.ts";
import { GatewayToken, SecurityCode } from "./card-number.ts";
import { gatewayTokens } from "./gateway-tokens.ts";
import {
  createPaymentSecrets,
  type PaymentSecrets,
  servePaymentSecrets,
} from "./payment-secrets.ts";
import { securityCodes } from "./security-codes.ts";

const start = Date.parse("2026-05-15T12:00:00Z");
const minuteMs = 60_000;

function typedCode(session = newId("cs", new Date(start))) {
  const scope = { account: newId("acct", new Date(start)), livemode: false };
  return { scope, id: newId("pm", new Date(start)), session };
}

test("a security code is dropped 15 minutes after it was typed, even without a further call", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: start });
  const codes = createPaymentSecrets(securityCodes, { now: () => new Date() });
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
  servePaymentSecrets(securityCodes, hub, clock);
  const [typing, charging] = Array.from({ length: 2 }, () => {
    const [ofPrimary, primary] = createChannelPair();
    hub.add(ofPrimary);
    return createPaymentSecrets(securityCodes, clock, primary);
  }) as [PaymentSecrets, PaymentSecrets];
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
  const codes = createPaymentSecrets(securityCodes, { now: () => new Date(start) });
  const typed = typedCode();
  codes.keep(typed, new SecurityCode("123"));
  codes.keep({ ...typed, session: newId("cs", new Date(start)) }, new SecurityCode("456"));
  assert.equal(codes.take({ ...typed, session: newId("cs", new Date(start)) }), null);
  assert.equal(codes.take(typed)?.reveal(), "123");
  assert.equal(codes.take(typed), null);
  codes.drop(typed.scope, typed.id);
  assert.equal(codes.size, 0);
});

const text = (length: number) => new GatewayToken("t".repeat(length));

function typedIn(account = newId("acct", new Date(start)), session = newId("cs", new Date(start))) {
  const scope = { account, livemode: true };
  return { scope, id: newId("pm", new Date(start)), session };
}

test("a session keeps its newest wallet tokens only, and displaces no token of another session", () => {
  const tokens = createPaymentSecrets(gatewayTokens, { now: () => new Date(start) });
  const account = newId("acct", new Date(start));
  const session = newId("cs", new Date(start));
  const other = typedIn(account);
  tokens.keep(other, text(100));
  const flood = Array.from({ length: 50 }, () => typedIn(account, session));
  for (const one of flood) tokens.keep(one, text(9_000));
  assert.equal(tokens.size, 3);
  assert.notEqual(tokens.take(other), null);
  assert.notEqual(tokens.take(flood.at(-1) as (typeof flood)[number]), null);
  assert.equal(tokens.take(flood[0] as (typeof flood)[number]), null);
});

test("an account that floods the memory with wallet tokens displaces only its own", () => {
  const tokens = createPaymentSecrets(gatewayTokens, { now: () => new Date(start) });
  const other = typedIn();
  tokens.keep(other, text(5_000));
  const account = newId("acct", new Date(start));
  const first = typedIn(account);
  tokens.keep(first, text(10_000));
  for (let count = 0; count < 3_000; count++) tokens.keep(typedIn(account), text(10_000));
  assert.equal(tokens.size, 801, "8 MB of 10 kB tokens, and the token of the other account");
  assert.equal(tokens.take(first), null);
  assert.notEqual(tokens.take(other), null);
});

test("the memory of wallet tokens is limited for all accounts together, and counts what was dropped", () => {
  const tokens = createPaymentSecrets(gatewayTokens, { now: () => new Date(start) });
  for (let count = 0; count < 7_000; count++) tokens.keep(typedIn(), text(10_000));
  assert.equal(tokens.size, 6_400);
  const kept = typedIn();
  for (let count = 0; count < 20; count++) {
    tokens.keep(kept, text(10_000));
    tokens.take(kept);
  }
  assert.equal(tokens.size, 6_399);
  tokens.keep(kept, text(40_000));
  assert.equal(tokens.take(kept), null, "larger than the limit of a session");
});
