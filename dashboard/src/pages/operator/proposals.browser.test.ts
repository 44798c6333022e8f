import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperatorProposal } from "@florin/contract/operator.ts";
import { json, openModule } from "../../../test/browser.ts";

const { mount } = await openModule(
  `import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
   import { createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
   import { createRoot } from "react-dom/client";
   import { ProposalsPage } from "./proposals.tsx";
   const router = createRouter({ routeTree: createRootRoute({ component: ProposalsPage }) });
   createRoot(document.getElementById("root")).render(
     <QueryClientProvider client={new QueryClient()}><RouterProvider router={router} /></QueryClientProvider>,
   );`,
  import.meta.dirname,
);

const proposal: OperatorProposal = {
  id: "prop_1",
  object: "proposal",
  kind: "replace_secrets",
  account: null,
  details: { connection: "con_1", version: 4, replaced: ["hmac_key"] },
  reason: "Yearly rotation.",
  status: "pending",
  created: 1_700_000_000,
  expires_at: 1_700_086_400,
  proposed_by: "first@example.com",
  is_own: false,
  decided_by: null,
  decided_at: null,
};

/** Opens the dialog of the proposal. The service accepts only the key `the-proposed-key`. */
async function openDialog(changes: Partial<OperatorProposal> = {}) {
  const shown = { ...proposal, ...changes };
  const mounted = await mount("/", ({ path, method, body }, response) => {
    if (method === "GET") return json(response, 200, { four_eyes: true, data: [shown] });
    const { hmac_key } = JSON.parse(body) as { hmac_key?: string };
    if (!path.endsWith("/confirm") || hmac_key === "the-proposed-key") {
      return json(response, 200, shown);
    }
    const error = {
      type: "invalid_request_error",
      code: "parameter_invalid",
      message: "`hmac_key` differs from the proposed key. Remaining attempts: 4.",
      param: "hmac_key",
      request_id: "req_1",
    };
    json(response, 400, { error });
  });
  await mounted.page.getByRole("table").getByRole("button").click();
  const sent = () => mounted.received.filter(({ method }) => method === "POST");
  return { ...mounted, dialog: mounted.page.getByRole("dialog"), sent };
}

test("an operator confirms new secrets with the key, and sees at the field that another key differs", async () => {
  const { dialog, sent } = await openDialog();
  const field = dialog.getByLabel("New key at the acquirer");
  assert.equal(await field.getAttribute("type"), "password");
  await field.fill("another-key");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.getByText("This differs from the proposed key. Remaining attempts: 4.").waitFor();
  assert.equal(await field.getAttribute("aria-invalid"), "true");

  await field.fill("the-proposed-key ");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual(
    sent().map(({ path, body }) => [path, JSON.parse(body)]),
    ["another-key", "the-proposed-key"].map((hmac_key) => [
      "/operator/v1/proposals/prop_1/confirm",
      { hmac_key },
    ]),
  );
});

test("an operator rejects new secrets without a key", async () => {
  const { dialog, sent } = await openDialog();
  await dialog.getByRole("button", { name: "Reject" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual(
    sent().map(({ path, body }) => [path, JSON.parse(body)]),
    [["/operator/v1/proposals/prop_1/dismiss", {}]],
  );
});

test("the confirmation of another change requires no key, and the proposer of new secrets cannot enter one", async () => {
  const other = await openDialog({ kind: "add_operator", details: { email: "a@example.com" } });
  assert.equal(await other.dialog.getByRole("button", { name: "Confirm" }).count(), 1);
  assert.equal(await other.dialog.getByLabel("New key at the acquirer").count(), 0);
  const own = await openDialog({ is_own: true });
  assert.equal(await own.dialog.getByRole("button", { name: "Withdraw" }).count(), 1);
  assert.equal(await own.dialog.getByLabel("New key at the acquirer").count(), 0);
});
