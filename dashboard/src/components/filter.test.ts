import assert from "node:assert/strict";
import { test } from "node:test";
import {
  amountFilter,
  choiceFilter,
  daysFilter,
  metadataFilter,
  namesOf,
  queryOf,
  textFilter,
} from "./filter.ts";

test("a filter that is not set is neither shown nor sent", () => {
  const filters = [
    textFilter("email", "Email"),
    choiceFilter("status", "Status", [["failed", "Failed"]]),
    daysFilter("created", "Date"),
    amountFilter(),
    metadataFilter(),
  ];
  for (const values of [{}, { email: undefined, created_from: "", after: "ch_1" }]) {
    assert.deepEqual(
      filters.map(({ shown }) => shown(values) || null),
      filters.map(() => null),
    );
    assert.deepEqual(queryOf(filters, values), {});
  }
});

test("a choice is sent by value and shown by label, and a value that no longer exists is kept", () => {
  const status = choiceFilter("status", "Status", [
    ["succeeded", "Succeeded"],
    ["failed", "Failed"],
  ]);
  const values = { status: "failed,retired" };
  assert.equal(status.shown(values), "Failed, retired");
  assert.deepEqual(status.query(values), { status: "failed,retired" });
});

test("a range of days includes its first and last day in the reader's time zone, even when the clocks change", () => {
  const created = daysFilter("created", "Date");
  // In most of Europe, March 29, 2026 has 23 hours.
  const values = { created_from: "2026-03-29", created_to: "2026-03-29" };
  assert.equal(created.shown(values), "Mar 29, 2026");
  assert.deepEqual(created.query(values), {
    "created[gte]": String(new Date(2026, 2, 29).getTime() / 1000),
    "created[lt]": String(new Date(2026, 2, 30).getTime() / 1000),
  });
});

test("a range that ends on the last day of a year ends before the first day of the next", () => {
  assert.deepEqual(daysFilter("created", "Date").query({ created_to: "2026-12-31" }), {
    "created[lt]": String(new Date(2027, 0, 1).getTime() / 1000),
  });
});

test("an amount is sent in the smallest unit of its currency", () => {
  const amount = amountFilter();
  const minor = (values: Record<string, string>) => amount.query(values)["amount[gte]"];
  assert.equal(minor({ amount_from: "19.99" }), "1999");
  assert.equal(minor({ amount_from: "500", currency: "JPY" }), "500");
  assert.equal(minor({ amount_from: "1.5", currency: " kwd " }), "1500");
  assert.equal(amount.query({ amount_from: "19.99" }).currency, "usd");
  assert.equal(amount.shown({ amount_from: "1", amount_to: "2", currency: "eur" }), "1 – 2 EUR");
});

test("an amount that cannot be parsed is not sent", () => {
  const query = amountFilter().query({ amount_from: "twenty", amount_to: "30" });
  assert.deepEqual(query, { "amount[lte]": "3000", currency: "usd" });
});

test("the metadata filter needs both a key and a value", () => {
  const metadata = metadataFilter();
  assert.deepEqual(metadata.query({ metadata_key: "order" }), {});
  const values = { metadata_key: "order", metadata_value: "10=42" };
  assert.deepEqual(metadata.query(values), { "metadata[order]": "10=42" });
  assert.equal(metadata.shown(values), "order = 10=42");
});

test('namesOf returns every name, so that "Clear filters" removes each from the URL', () => {
  assert.deepEqual(namesOf([daysFilter("created", "Date"), amountFilter()]), [
    "created_from",
    "created_to",
    "amount_from",
    "amount_to",
    "currency",
  ]);
});
