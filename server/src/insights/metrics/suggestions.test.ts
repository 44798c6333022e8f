import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cost, type DeclineShare, type Segment, suggest } from "./suggestions.ts";

const segment = (connection: string, attempts: number, rate: number, more = {}): Segment => ({
  connection,
  network: null,
  country: "DE",
  attempts,
  approved: Math.round(attempts * rate),
  ...more,
});
const cost = (connection: string, payments: number, fees: number, more = {}): Cost => ({
  connection,
  network: "visa",
  currency: "eur",
  payments,
  amount: 1_000_000,
  fees,
  ...more,
});
const decline = (code: DeclineShare["code"], count: number, share: number): DeclineShare => ({
  code,
  count,
  share,
});

test("a certain difference between two connections is suggested with its figures", () => {
  const [found, ...more] = suggest([segment("A", 1_000, 0.85), segment("B", 1_000, 0.93)], [], []);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [found?.kind, found?.connection, found?.other_connection, found?.country, found?.network],
    ["connection_approves_more", "B", "A", "DE", null],
  );
  assert.deepEqual([found?.rate, found?.other_rate, found?.payments], [0.93, 0.85, 1_000]);
  assert.ok((found?.p_value ?? 1) < 0.00001);
});

test("no difference is suggested with few payments, a small difference or an uncertain one", () => {
  // 99 payments are too few, although the difference is certain.
  assert.deepEqual(suggest([segment("A", 99, 0.2), segment("B", 1_000, 0.95)], [], []), []);
  // 1.5 percentage points are too little, although a million payments make the difference certain.
  assert.deepEqual(
    suggest([segment("A", 1_000_000, 0.9), segment("B", 1_000_000, 0.915)], [], []),
    [],
  );
  // 5 percentage points of 200 payments can be chance.
  assert.deepEqual(suggest([segment("A", 200, 0.85), segment("B", 200, 0.9)], [], []), []);
});

test("the same difference is not suggested if it is one of many comparisons", () => {
  const pair = [segment("A", 600, 0.85), segment("B", 600, 0.91)];
  assert.equal(suggest(pair, [], []).length, 1);
  const others = Array.from({ length: 50 }, (_, index) => {
    const country = `X${String.fromCharCode(65 + (index % 26))}${index}`;
    return [segment("A", 600, 0.9, { country }), segment("B", 600, 0.9, { country })];
  }).flat();
  assert.deepEqual(suggest([...pair, ...others], [], []), []);
});

test("connections are compared only within the same network or country", () => {
  const germany = segment("A", 5_000, 0.95);
  const france = segment("B", 5_000, 0.6, { country: "FR" });
  assert.deepEqual(suggest([germany, france], [], []), []);
});

test("the difference that would approve the most payments is first", () => {
  const large = [segment("A", 50_000, 0.9), segment("B", 50_000, 0.93)];
  const small = [
    segment("A", 500, 0.5, { country: "FR" }),
    segment("B", 500, 0.9, { country: "FR" }),
  ];
  assert.deepEqual(
    suggest([...small, ...large], [], []).map(({ country }) => country),
    ["DE", "FR"],
  );
});

test("lower fees are suggested for the same network and currency", () => {
  const [found] = suggest([], [cost("A", 500, 14_000), cost("B", 500, 11_000)], []);
  assert.deepEqual(
    [found?.kind, found?.connection, found?.rate, found?.other_rate, found?.currency],
    ["connection_costs_less", "B", 0.011, 0.014, "eur"],
  );
  const apart = [cost("A", 500, 14_000), cost("B", 500, 11_000, { currency: "usd" })];
  assert.deepEqual(suggest([], apart, []), []);
  const few = [cost("A", 99, 14_000), cost("B", 500, 11_000)];
  assert.deepEqual(suggest([], few, []), []);
  const close = [cost("A", 500, 11_500), cost("B", 500, 11_000)];
  assert.deepEqual(suggest([], close, []), []);
});

test("a decline code is suggested if it is frequent and there are enough declines", () => {
  const many = [decline("insufficient_funds", 60, 0.6), decline("do_not_honor", 15, 0.15)];
  assert.deepEqual(
    suggest([], [], many).map(({ decline_code, rate }) => [decline_code, rate]),
    [["insufficient_funds", 0.6]],
  );
  assert.deepEqual(suggest([], [], [decline("insufficient_funds", 40, 0.8)]), []);
});
