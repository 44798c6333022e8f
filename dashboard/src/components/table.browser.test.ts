import assert from "node:assert/strict";
import { test } from "node:test";
import { openModule } from "../../test/browser.ts";

/** A page with a list table. `tested.show` changes its state. */
const { mount } = await openModule(
  `import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
   import { createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
   import { useEffect, useState } from "react";
   import { createRoot } from "react-dom/client";
   import { ApiProblem } from "../api/problem.ts";
   import { ListTable } from "./table.tsx";
   const none = { rows: [], pending: false, stale: false, problem: null, next: null, previous: null };
   const columns = [
     { title: "Amount", align: "end", cell: ({ amount }) => amount },
     { title: "Reference", from: "lg", cell: ({ id }) => "Reference of " + id },
     { title: "Status", cell: () => "Failed" },
     { title: "Reason", from: "sm", below: "cell", cell: () => "Expired card" },
     { title: "Attempts", from: "sm", below: "title and cell", cell: () => 2 },
     { title: "Refunded", from: "sm", below: () => null, cell: () => "—" },
     { title: "", cell: ({ id }) => <button type="button" onClick={() => pressed.push(id)}>Refund</button> },
   ];
   export const pressed = [];
   export let show;
   export const unreachable = () => new ApiProblem(0, null);
   export const turned = [];
   function List() {
     const [list, set] = useState(none);
     useEffect(() => { show = (state) => set({ ...none, ...state }); }, []);
     return <ListTable label="Payments" list={list} columns={columns} to={({ id }) => "/payments/" + id} empty={<p>No payments yet</p>} />;
   }
   const root = createRootRoute();
   const at = (path, component) => createRoute({ getParentRoute: () => root, path, component });
   const router = createRouter({
     routeTree: root.addChildren([at("/$account/$mode", List), at("/$account/$mode/payments/$id", () => <h1>One payment</h1>)]),
     basepath: "/dashboard",
   });
   createRoot(document.getElementById("root")).render(<QueryClientProvider client={new QueryClient()}><RouterProvider router={router} /></QueryClientProvider>);`,
  import.meta.dirname,
);

type List = {
  rows?: { id: string; amount: string }[];
  pending?: boolean;
  stale?: boolean;
  problem?: unknown;
  next?: (() => void) | null;
  previous?: (() => void) | null;
};
declare const tested: {
  show(list: List): void;
  unreachable(): unknown;
  pressed: string[];
  turned: string[];
};

const rows = ["ch_1", "ch_2", "ch_3"].map((id, place) => ({ id, amount: `$${place + 1}.00` }));

async function table(list: List = { rows }) {
  const mounted = await mount();
  await mounted.page.getByText("No payments yet").waitFor();
  await mounted.page.evaluate((list) => tested.show(list), list);
  return mounted;
}

test("an empty list shows what will appear there instead of a table", async () => {
  const { page } = await table({});
  await page.getByText("No payments yet").waitFor();
  assert.equal(await page.getByRole("table").count(), 0);
});

test("a list that is loading does not claim to be empty", async () => {
  const { page } = await table({ pending: true });
  await page.getByRole("table", { name: "Payments" }).waitFor();
  assert.equal(await page.getByText("No payments yet").count(), 0);
  assert.equal(await page.locator("[aria-busy=true]").count(), 1);
});

test("an error is not shown as an empty list, and previously loaded rows stay", async () => {
  const { page } = await table({});
  await page.evaluate(() => tested.show({ problem: tested.unreachable() }));
  await page.getByText("Could not reach the service").waitFor();
  assert.equal(await page.getByText("No payments yet").count(), 0);
  await page.evaluate((rows) => tested.show({ rows, problem: tested.unreachable() }), rows);
  await page.getByRole("link", { name: "$3.00" }).waitFor();
  await page.getByText("Could not reach the service").waitFor();
});

test("rows of the previous page are marked as busy while the next one loads", async () => {
  const { page } = await table({ rows, stale: true });
  await page.locator("[aria-busy=true]").waitFor();
  await page.evaluate((rows) => tested.show({ rows }), rows);
  await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
});

test("the arrow keys and J and K move between the rows, stop at the ends, and Enter opens one", async () => {
  const { page } = await table();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.getByRole("link", { name: "$1.00" }).focus();
  const places: unknown[] = [];
  for (const key of ["ArrowUp", "ArrowDown", "j", "ArrowDown", "k"]) {
    await page.keyboard.press(key);
    places.push(await focused());
  }
  assert.deepEqual(places, ["$1.00", "$2.00", "$3.00", "$3.00", "$2.00"]);
  // A browser shortcut such as Ctrl+K does not move between rows.
  await page.keyboard.press("Control+k");
  assert.equal(await focused(), "$2.00");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "One payment" }).waitFor();
  assert.match(page.url(), /\/dashboard\/acct_1\/test\/payments\/ch_2$/);
});

test("a click anywhere in a row opens it, and a button in the row does not", async () => {
  const { page } = await table();
  await page.getByRole("button", { name: "Refund" }).nth(1).focus();
  await page.keyboard.press("Enter");
  assert.deepEqual(await page.evaluate(() => tested.pressed), ["ch_2"]);
  assert.match(page.url(), /\/test$/);
  const link = page.getByRole("link", { name: "$2.00" });
  assert.equal(await link.getAttribute("href"), "/dashboard/acct_1/test/payments/ch_2");
});

test("a column of buttons has a name for screen readers", async () => {
  const { page } = await table();
  const names = await page.getByRole("columnheader").allInnerTexts();
  assert.deepEqual(names, [
    "Amount",
    "Reference",
    "Status",
    "Reason",
    "Attempts",
    "Refunded",
    "Actions",
  ]);
});

test("the lines that replace hidden columns are in the nearest column to the left that is always shown", async () => {
  const { page } = await table();
  const cells = page.locator("tbody tr").first().locator("td");
  // Without the style sheet, both the columns and the lines are shown.
  assert.deepEqual(await cells.allInnerTexts(), [
    ...["$1.00", "Reference of ch_1", "Failed\nExpired card\nAttempts: 2"],
    ...["Expired card", "2", "—", "Refund"],
  ]);
});

test("a single page has no pagination, and on the last page only Previous is enabled", async () => {
  const { page } = await table();
  assert.equal(await page.getByRole("navigation").count(), 0);
  await page.evaluate(
    (rows) => tested.show({ rows, previous: () => tested.turned.push("previous") }),
    rows,
  );
  const pages = page.getByRole("navigation", { name: "Payments pagination" });
  assert.ok(await pages.getByRole("button", { name: "Next" }).isDisabled());
  await pages.getByRole("button", { name: "Previous" }).click();
  assert.deepEqual(await page.evaluate(() => tested.turned), ["previous"]);
});
