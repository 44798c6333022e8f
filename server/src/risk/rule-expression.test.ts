import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../core/api-error.ts";
import { compileRule } from "./rule-expression.ts";
import { quietSignals } from "./signals.fixture.ts";
import type { Signals } from "./signals.ts";

const signals: Signals = {
  ...quietSignals,
  amount: 50_000,
  amount_ratio: 2.5,
  card_funding: "prepaid",
  card_attempts_1h: 4,
  email: "ada@b\u00fccher.example",
  email_domain: "b\u00fccher.example",
  ip: "8.8.8.8",
  billing_country: "DE",
  risk_score: 20,
};

for (const [expression, expected] of [
  ["amount > 40000", true],
  ["amount >= 50000 && currency == 'usd'", true],
  ["amount_ratio > 3", false],
  ["card_country != billing_country", true],
  ["card_country in ['DE', 'AT']", false],
  ["card_funding == 'prepaid' && card_attempts_1h > 3", true],
  ["email.endsWith('@b\u00fccher.example') && !off_session", true],
  ["email_domain == 'xn--bcher-kva.example'", true],
  ["email == 'ada@XN--BCHER-KVA.example'", true],
  ["email_domain in ['example.com', \"xn--bcher-kva.example\"]", true],
  ["email_domain == 'xn--bcher.example'", false],
  ["email_domain == 'matches(' || risk_score >= 65", false],
  ["risk_level == 'normal' ? ip.startsWith('8.') : false", true],
] as const) {
  test(`${expression} is ${expected}`, () => {
    assert.equal(compileRule(expression)(signals), expected);
  });
}

for (const [expression, why] of [
  ["amount >", /: unexpected end at character 9\./],
  ["amount", /its result has the type int, but must be true or false/],
  ["amount > 'a lot'", /no such overload: int > string at character 1\./],
  ["amount > 1 &&\n  amount > 'a'", /int > string at line 2, character 3\./],
  ["phone == '1'", /: unknown field `phone` at character 1\. The available fields are: amount, /],
  [
    "off_session && amout > 5",
    /: unknown field `amout` at character 16\. Did you mean `amount`\?$/,
  ],
  ["email_domain == 'xn--bcher-kva.example' && amout > 5", /`amout` at character 44\./],
  ["email.matches('^(a+)+$')", /rules cannot contain 'matches'/],
  ["[1, 2].all(x, x > 0)", /rules cannot contain 'all'/],
  ["double(email) > 1.0", /: 'double' takes one argument of the type int\.$/],
  ["amount.startsWith('1')", /: 'startsWith' works only on values of the type string\.$/],
  ["email.contains(amount)", /: 'contains' takes one argument of the type string\.$/],
  [`${"(".repeat(60)}amount > 1${")".repeat(60)}`, /./],
] as const) {
  test(`${expression.slice(0, 40)} is rejected with the reason`, () => {
    const rejected = (error: unknown) =>
      error instanceof ApiError && error.code === "parameter_invalid" && why.test(error.message);
    assert.throws(() => compileRule(expression), rejected);
  });
}
