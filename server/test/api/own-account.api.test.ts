import assert from "node:assert/strict";
import { after, test } from "node:test";
import { accountRoutes } from "../../src/admin/operator/account.routes.ts";
import { applicationReviewRoutes } from "../../src/admin/operator/application-review.routes.ts";
import type { OperatorDeps } from "../../src/admin/operator/operator-deps.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const { account } = await shop.createMerchant({ status: "approved" });
const insider = await createPerson(shop, { account, operator: true, secondFactor: true });
const outsider = await createPerson(shop, { operator: true, secondFactor: true });
const colleague = await createPerson(shop, { account, secondFactor: true });
const path = `/operator/v1/accounts/${account}`;
const reason = "It seemed a good idea.";
const terms = {
  fee_basis_points: 1,
  requests_per_second: null,
  amounts: {},
};

const entries: readonly (readonly [path: string, body: object])[] = [
  ["suspend", { reason }],
  ["reinstate", { reason }],
  ["close", { reason }],
  ["terms", { terms, reason }],
  [`team/${colleague.id}/reset_second_factor`, { reason }],
  [`team/${insider.id}/reset_second_factor`, { reason }],
  ["application/begin_review", { version: 1 }],
  [
    "application/request_information",
    { version: 1, requests: [{ section: "website", message: "Why?" }] },
  ],
  ["application/approve", { version: 1, reason }],
  ["application/reject", { version: 1, reason }],
  ["application/reopen", { version: 1, reason }],
  ["application/notes", { text: "Looks fine to me." }],
  ["application/checklist", { item: "business_exists", checked: true }],
];

for (const [operation, body] of entries) {
  const name = operation.replace(insider.id, "self").replace(colleague.id, "colleague");
  test(`403: rejects ${name} by an operator who belongs to the account`, async () => {
    const rejected = await insider.send("POST", `${path}/${operation}`, body);
    assert.deepEqual(errorOf(rejected), [403, "invalid_request_error", "own_account"]);
  });
}

test("the list contains every operator route that changes an account", () => {
  const deps = {} as OperatorDeps;
  const routes = [...accountRoutes(deps), ...applicationReviewRoutes(deps)]
    .filter((route) => route.method !== "GET" && route.path.includes(":account"))
    .map((route) => route.path.replace("/accounts/:account/", ""));
  const tried = entries.map(([operation]) => operation.replace(/per_\w+/, ":person"));
  assert.deepEqual([...new Set(tried)].sort(), routes.sort());
});

test("an operator can read an account that they belong to, and another operator can change it", async () => {
  assert.equal((await insider.send("GET", path)).status, 200);
  assert.equal((await outsider.send("POST", `${path}/terms`, { terms, reason })).status, 200);
});
