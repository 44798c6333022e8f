import assert from "node:assert/strict";
import { test } from "node:test";
import type { Conditions } from "./charge-filter.ts";
import { isContradictory, wordsOfFilter } from "./charge-search.ts";

const filter = (conditions: Partial<Conditions>): Conditions => ({
  customersOfEmail: [],
  ...conditions,
});

test("filters that require different statuses are contradictory, and match no charge", () => {
  for (const conditions of [
    { statuses: ["canceled"], displayStatuses: ["succeeded"] },
    { statuses: ["canceled", "failed"], inReview: true },
    { displayStatuses: ["refunded"], declineCodes: ["lost_card"] },
    { statuses: ["authorized"], disputed: true },
    { refunded: true, inReview: true },
  ] as const) {
    assert.equal(isContradictory(filter(conditions)), true, JSON.stringify(conditions));
  }
  for (const conditions of [
    {},
    { statuses: ["canceled"], inReview: false },
    { statuses: ["canceled", "succeeded"], displayStatuses: ["disputed"] },
    { statuses: ["authorized"], displayStatuses: ["in_review"], inReview: true },
    { displayStatuses: ["disputed"], refunded: true },
  ] as const) {
    assert.equal(isContradictory(filter(conditions)), false, JSON.stringify(conditions));
  }
});

test("two filters by status search for the statuses that both contain", () => {
  assert.deepEqual(
    wordsOfFilter(
      filter({ statuses: ["failed", "canceled"], displayStatuses: ["failed", "succeeded"] }),
    ),
    wordsOfFilter(filter({ statuses: ["failed"] })),
  );
});
