import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalSuggestion } from "@florin/contract/approval-metrics.ts";
import { connectionNames } from "./connection-name.ts";
import { suggestionText } from "./suggestion-text.ts";

const figures = { attempts: 1, approved: 1, declined: 0, approval_rate: 1, interval: null };
const names = connectionNames([
  { connection: "asg_1", acquirer: "adyen", merchant_account: "ShopECOM", ...figures },
  { connection: "asg_2", acquirer: "stripe", merchant_account: "acct_1", ...figures },
]);
const base: ApprovalSuggestion = {
  kind: "connection_approves_more",
  connection: "asg_1",
  other_connection: "asg_2",
  network: null,
  country: "DE",
  currency: null,
  decline_code: null,
  rate: 0.93,
  other_rate: 0.85,
  payments: 1_200,
  other_payments: 800,
  p_value: 0.0000001,
};

test("a difference of approval rates names both connections, the rates and the numbers of payments", () => {
  const { title, detail } = suggestionText(base, names);
  assert.equal(
    title,
    "Cards from Germany are approved 8.0 percentage points more often over Adyen than over Stripe.",
  );
  assert.match(detail, /93\.0% and 85\.0%\. 1,200 payments over Adyen, 800 over Stripe\./);
  assert.match(detail, /below 0\.01%/);
});

test("a difference of fees is shown in hundredths of a percent", () => {
  const { title, detail } = suggestionText(
    {
      ...base,
      kind: "connection_costs_less",
      country: null,
      network: "visa",
      currency: "eur",
      rate: 0.011,
      other_rate: 0.0145,
    },
    names,
  );
  assert.equal(
    title,
    "Visa cards cost 0.35 percentage points less over Adyen than over Stripe in EUR.",
  );
  assert.match(detail, /1\.10% and 1\.45%/);
});

test("a frequent decline contains the next step of its code", () => {
  const { title, detail } = suggestionText(
    { ...base, kind: "frequent_decline", decline_code: "insufficient_funds", rate: 0.21 },
    names,
  );
  assert.equal(title, "21.0% of the declines are “Insufficient funds”.");
  assert.match(detail, /^1,200 payments\. \w/);
});

test("two connections with the same acquirer are distinguished by their accounts", () => {
  const same = connectionNames([
    { connection: "asg_1", acquirer: "adyen", merchant_account: "One", ...figures },
    { connection: "asg_2", acquirer: "adyen", merchant_account: "Two", ...figures },
  ]);
  assert.deepEqual([...same.values()], ["Adyen (One)", "Adyen (Two)"]);
});
