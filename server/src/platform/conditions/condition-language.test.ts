import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../core/api-error.ts";
import { createConditionLanguage } from "./condition-language.ts";

const language = createConditionLanguage<{
  amount: number;
  tags: Readonly<Record<string, string>>;
}>({ amount: "int", tags: "texts" });

const values = { amount: 5, tags: { plan: "gold", "a b": "c" } };

for (const [expression, expected] of [
  ['tags["plan"] == "gold"', true],
  ['tags.plan == "gold" && tags["a b"] == "c"', true],
  ['tags["other"] == ""', true],
  ['tags["toString"] == ""', true],
  ['tags["constructor"] == "" && tags.constructor == ""', true],
  ['tags["__proto__"] == ""', true],
  ['tags["plan"].size() == 4', true],
  ['tags["plan"] in ["silver"]', false],
] as const) {
  test(`${expression} is ${expected}`, () => {
    assert.equal(language.compile(expression, "condition")(values), expected);
  });
}

for (const [expression, why] of [
  ["tags == 'a'", /`tags` at character 1 needs a key\. Write `tags\["key"\]`\./],
  ['tags[amount] == "a"', /a key must be a text in quotes/],
  ["tags[tags.plan] == 'a'", /a key must be a text in quotes/],
  ["tags.plan.x == 'a'", /cannot contain '\.'/],
  ["amount.x == 'a'", /`amount` at character 1 has no keys/],
  ["tag.plan == 'a'", /Did you mean `tags`\?/],
  ['"plan" in tags', /'in' needs a list/],
  ['tags["plan"] > 5', /no such overload/],
] as const) {
  test(`${expression} is rejected with the reason`, () => {
    assert.throws(
      () => language.compile(expression, "condition"),
      (error) => error instanceof ApiError && why.test(error.message),
    );
    assert.match(language.whyUnusable(expression) ?? "", why);
  });
}
