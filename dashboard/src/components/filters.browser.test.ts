import assert from "node:assert/strict";
import { test } from "node:test";
import { openModule } from "../../test/browser.ts";

/** A list page with filters, which shows the API query that results from the filters. */
const { mount } = await openModule(
  `import { createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
   import { createRoot } from "react-dom/client";
   import { useUrlQuery } from "../api/use-url-query.ts";
   import { choiceFilter, daysFilter, queryOf, textFilter } from "./filter.ts";
   import { Filters } from "./filters.tsx";
   const filters = [
     choiceFilter("status", "Status", [["failed", "Failed"], ["succeeded", "Succeeded"]]),
     textFilter("last4", "Last four digits", undefined, (text) => /^\\d{4}$/.test(text) ? null : "Enter four digits."),
     daysFilter("created", "Date"),
     textFilter("email", "Email"),
     textFilter("reference", "Reference"),
   ];
   function List() {
     const [values] = useUrlQuery();
     return <main><Filters filters={filters} /><output>{JSON.stringify(queryOf(filters, values))}</output></main>;
   }
   const root = createRootRoute();
   const list = createRoute({ getParentRoute: () => root, path: "/$account/$mode", component: List });
   const router = createRouter({
     routeTree: root.addChildren([list]),
     basepath: "/dashboard",
     parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
     stringifySearch: (search) => { const text = String(new URLSearchParams(search)); return text && "?" + text; },
   });
   createRoot(document.getElementById("root")).render(<RouterProvider router={router} />);`,
  import.meta.dirname,
);

const query = async (page: Awaited<ReturnType<typeof mount>>["page"]) =>
  JSON.parse((await page.locator("output").textContent()) ?? "");

test("an applied filter is in the URL, and a reload or a shared link shows it again", async () => {
  const { page, complaints: messages } = await mount();
  await page.getByRole("button", { name: "Status" }).click();
  await page.getByLabel("Failed").check();
  await page.getByLabel("Succeeded").check();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("Failed, Succeeded").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("status"), "failed,succeeded");
  const before = await query(page);
  await page.reload();
  await page.getByText("Failed, Succeeded").waitFor();
  assert.deepEqual(await query(page), before);
  await page.getByRole("button", { name: /^Status ?Failed, Succeeded$/ }).click();
  assert.ok(await page.getByLabel("Succeeded").isChecked());
  assert.deepEqual(messages, []);
});

test("a changed filter returns to the first page of the list and keeps the other parameters", async () => {
  const { page } = await mount(
    "/dashboard/acct_1/test?after=ch_9&tab=all&email=a%2Bb%40example.com",
  );
  assert.deepEqual(await query(page), { email: "a+b@example.com" });
  await page.getByRole("button", { name: "Last four digits" }).click();
  await page.getByLabel("Last four digits").last().fill(" 4242 ");
  await page.keyboard.press("Enter");
  await page.getByText("4242", { exact: true }).waitFor();
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), {
    tab: "all",
    email: "a+b@example.com",
    last4: "4242",
  });
});

test("the browser's back button removes the last filter", async () => {
  const { page } = await mount();
  await page.getByRole("button", { name: "Email" }).click();
  await page.getByRole("textbox").fill("ada@example.com");
  await page.keyboard.press("Enter");
  await page.getByText("ada@example.com", { exact: true }).waitFor();
  await page.goBack();
  await page.getByText("ada@example.com", { exact: true }).waitFor({ state: "detached" });
  assert.deepEqual(await query(page), {});
});

test("an invalid value is explained, focused and not applied", async () => {
  const { page } = await mount();
  await page.getByRole("button", { name: "Last four digits" }).click();
  const box = page.getByRole("textbox");
  await box.fill("42");
  await page.getByRole("button", { name: "Apply" }).click();
  assert.equal(await page.getByRole("alert").textContent(), "Enter four digits.");
  assert.ok(await box.evaluate((element) => element === document.activeElement));
  assert.equal(await box.getAttribute("aria-invalid"), "true");
  assert.equal(new URL(page.url()).search, "");
});

test("filters can be removed one by one or all together", async () => {
  const { page } = await mount(
    "/dashboard/acct_1/test?status=failed&email=a%40example.com&tab=all",
  );
  await page.getByRole("button", { name: "Remove Status filter" }).click();
  await page.getByRole("button", { name: "Remove Status filter" }).waitFor({ state: "detached" });
  assert.deepEqual(await query(page), { email: "a@example.com" });
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("button", { name: "Clear filters" }).waitFor({ state: "detached" });
  assert.equal(new URL(page.url()).search, "?tab=all");
});

test("filters after the fourth are hidden until they are requested or set", async () => {
  const { page } = await mount();
  const fifth = page.getByRole("button", { name: "Reference", exact: true });
  assert.equal(await fifth.count(), 0);
  await page.getByRole("button", { name: "More filters" }).click();
  await fifth.waitFor();
  const linked = await mount("/dashboard/acct_1/test?reference=A-7");
  await linked.page.getByRole("button", { name: /^Reference ?A-7$/ }).waitFor();
});
