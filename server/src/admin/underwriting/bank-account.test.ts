import assert from "node:assert/strict";
import { test } from "node:test";
import { isIban } from "../../core/iban.ts";
import { isAbaNumber, readBankAccount, shownBankAccount } from "./bank-account.ts";

const german = {
  holder_name: "Fieldware GmbH",
  country: "DE",
  currency: "eur",
  account_number: "de89 3704 0044 0532 0130 00",
};

test("an IBAN is stored without spaces in upper case and shown with its last four characters only", () => {
  const stored = readBankAccount(german);
  assert.equal(stored.account_number, "DE89370400440532013000");
  assert.deepEqual(shownBankAccount(stored), {
    holder_name: "Fieldware GmbH",
    country: "DE",
    currency: "eur",
    last4: "3000",
    routing_number: null,
  });
});

test("an IBAN with any one digit changed is rejected", () => {
  const iban = "DE89370400440532013000";
  for (let at = 2; at < iban.length; at++) {
    const other = (Number(iban[at]) + 1) % 10;
    assert.equal(isIban(`${iban.slice(0, at)}${other}${iban.slice(at + 1)}`), false, `at ${at}`);
  }
  assert.throws(() => readBankAccount({ ...german, account_number: "DE89370400440532013001" }), {
    code: "parameter_invalid",
    details: { param: "account_number" },
  });
});

test("an account without an IBAN needs a bank code, and a US routing number needs a valid checksum", () => {
  const american = { ...german, country: "US", currency: "usd", account_number: "000123456789" };
  assert.throws(() => readBankAccount(american), { details: { param: "routing_number" } });
  assert.throws(() => readBankAccount({ ...american, routing_number: "110000001" }), {
    details: { param: "routing_number" },
  });
  assert.equal(
    readBankAccount({ ...american, routing_number: "110000000" }).account_number,
    "000123456789",
  );
  assert.deepEqual(["021000021", "021000022", "12345678"].map(isAbaNumber), [true, false, false]);
});
